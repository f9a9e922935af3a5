"""Classes that were written for SyGra, run as its document shows them.

``shims`` holds modules of SyGra's names, which such a class imports; they offer the classes of ``classes``, which are
our own. ``adapt`` makes a grader of a class that the suite names.
"""
