"""The sandbox of user code: ``enter`` before it is imported, ``tighten`` in each fork that runs it.

Standard library only. It holds on Linux; elsewhere ``auto`` says that nothing holds, and ``required`` refuses.
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
