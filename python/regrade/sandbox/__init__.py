"""The sandbox for user code: ``enter`` is called before the import, ``tighten`` in each fork that runs it.

Standard library only. It works on Linux; on other systems ``auto`` reports that nothing is enforced, and ``required``
refuses.
"""

from regrade.sandbox.enter import enter, explain, narrow, probe, tighten
from regrade.sandbox.settings import Offer, Report, SandboxRefused, Settings, read_settings

__all__ = [
    "Offer",
    "Report",
    "SandboxRefused",
    "Settings",
    "enter",
    "explain",
    "narrow",
    "probe",
    "read_settings",
    "tighten",
]
