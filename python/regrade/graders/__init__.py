"""The built-in graders, a module each; the modules beside them are their parts.

A grader's module has ``METRICS`` (the first one is gated by default), ``OPTIONS`` (JSON Schema by option name) and
``create(options)``, which returns ``grade(sample, item)``; the judge's takes ``ctx`` too. All of them read the
extracted output. One that finds that nobody can be blamed for a missing score raises ``regrade.ungraded.Ungraded``.
"""
