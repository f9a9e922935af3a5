"""The built-in graders, one file each.

Each module has ``METRICS`` (the first one is gated by default), ``OPTIONS`` (JSON Schema by option name) and
``create(options)``, which returns ``grade(sample, item)``. All of them read the extracted output.
"""
