"""The Python side of Regrade: the host for graders, the built-in graders, and regexes as Python defines them.

Standard library only, Python 3.10 or newer.
"""
