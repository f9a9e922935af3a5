"""Runs classes that were written for SyGra, as its documentation describes them.

``shims`` holds modules with SyGra's names, which such a class imports; they offer the classes of ``classes``, which are
our own. ``adapt`` makes a grader of a class that the suite names.
"""
