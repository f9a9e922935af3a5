"""The sandbox on this machine's kernel: every escape, tried with it and without it, as root and as another user."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import gaierror

from regrade.sandbox import SandboxRefused, Settings, enter, explain, probe, read_settings
from regrade.sandbox.escapes import ESCAPES
from regrade.sandbox.hint import hint
from regrade.sandbox.landlock import Rules
from regrade.sandbox.machine import X86_64
from regrade.sandbox.paths import find_access
from regrade.sandbox.settings import Offer

HERE = Path(__file__).parent
NOBODY = 65534
OFFER = probe()

FILES = {
    *("read the run's environment in /proc", "read the run's arguments in /proc", "open the run's memory in /proc"),
    *("write to $GITHUB_ENV", "write to $GITHUB_OUTPUT", "read .git/config", "read the home folder"),
    *("read the manifest's neighbours", "write in the workspace", "create a file in the workspace"),
    *("write in the grader's folder", "write in it by a second name", "write in dist/"),
}


class Outcomes:
    """What became of each escape."""

    def __init__(self, answer: dict[str, object]) -> None:
        self.level = answer["level"]
        self.details: dict[str, object] = answer["details"]  # type: ignore[assignment]
        self.all: dict[str, list[str]] = answer["outcomes"]  # type: ignore[assignment]

    def named(self, outcome: str) -> set[str]:
        return {name for name, (found, _) in self.all.items() if found == outcome}


def try_all(user: int, mode: str = "auto", **more: object) -> Outcomes:
    """``abi``, ``seccomp``: use no more of the machine's. ``tight``: false for a grader's import."""
    python = python_for(user)
    with yard(user) as (folder, setuid):
        machine = {"abi": None, "seccomp": True, "tight": True, **more}
        asked = {"mode": mode, "folder": folder, "setuid": setuid, **machine}
        done = subprocess.run(
            [python, "-B", str(HERE / "sandbox_yard.py"), json.dumps(asked)],
            env={"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"], "SECRET": "of the run"},
            user=user if user != os.getuid() else None,
            group=user if user != os.getuid() else None,
            extra_groups=[] if user != os.getuid() else None,
            capture_output=True,
            check=False,
            timeout=90,
        )
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return Outcomes(json.loads(done.stdout))


@contextmanager
def yard(user: int) -> Iterator[tuple[str, list[str] | None]]:
    """A folder of the user's own, and where root makes it a program with the set-uid bit that says who it runs as."""
    folder = tempfile.mkdtemp(prefix="regrade-yard-")
    try:
        setuid = None
        if os.getuid() == 0:
            setuid = [os.path.join(folder, "whoami"), "-u"]
            shutil.copy(shutil.which("id") or "/usr/bin/id", setuid[0])
            os.chown(folder, user, user)
            os.chmod(setuid[0], 0o4755)
        yield folder, setuid
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def python_for(user: int) -> str:
    """The interpreter, or the system's where this one lies in a folder that the other user can't enter."""
    parents = Path(os.path.realpath(sys.executable)).parents
    open_to_all = all(os.stat(parent).st_mode & stat.S_IXOTH for parent in parents)
    if user == os.getuid() or open_to_all:
        return sys.executable
    found = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if found is None:
        raise unittest.SkipTest(f"no Python here that user {user} can start")
    return found


def absent_without(user: int) -> set[str]:
    """What even a process without a sandbox can't do here, as this user."""
    absent = set()
    if user != 0:
        absent.add("mount a file system")
        if sysctl("kernel/yama/ptrace_scope") != "0":
            absent |= {"trace the run", "read the run's memory", "open the run's memory in /proc"}
    if sysctl("kernel/unprivileged_userns_clone") == "0" or sysctl("user/max_user_namespaces") == "0":
        absent.add("make a user namespace")
    return absent


def sysctl(name: str) -> str:
    path = Path("/proc/sys") / name
    return path.read_text().strip() if path.exists() else "0" if "yama" in name else "1"


def users() -> list[int]:
    return [0, NOBODY] if os.getuid() == 0 else [os.getuid()]


@unittest.skipUnless(OFFER.landlock_abi and OFFER.machine, "this kernel has no Landlock or no seccomp filters")
class Escapes(unittest.TestCase):
    def test_each_works_without_the_sandbox_and_fails_with_it(self) -> None:
        rows = []
        for user in users():
            without, within = try_all(user, mode="off"), try_all(user, mode="required")
            self.assertEqual(without.level, "off")
            self.assertEqual(within.level, "landlock+seccomp")
            for name in ESCAPES:
                rows.append((user, name, without.all[name], within.all[name]))
                with self.subTest(user=user, escape=name):
                    self.assertNotEqual(within.all[name][0], "out", within.all[name][1])
                    if without.all[name][0] != "absent" and name not in absent_without(user):
                        self.assertEqual(without.all[name][0], "out", without.all[name][1])
                        self.assertEqual(within.all[name][0], "held", within.all[name][1])
        print(*table(rows), sep="\n", file=sys.stderr)

    def test_while_it_is_imported_a_grader_can_make_processes_and_nothing_else(self) -> None:
        """The host has to fork later, and there is one filter for both."""
        for user in users():
            with self.subTest(user=user):
                self.assertEqual(try_all(user, tight=False).named("out"), {"start a process"})

    def test_each_older_landlock_holds_the_same_with_seccomp(self) -> None:
        for abi in range(1, OFFER.landlock_abi):
            for user in users():
                with self.subTest(abi=abi, user=user):
                    found = try_all(user, abi=abi)
                    self.assertEqual(found.level, "landlock+seccomp")
                    self.assertEqual(found.named("out"), set())
                    self.assertEqual(bool(found.details["missing"]), abi < 6)

    def test_without_landlock_files_are_open_and_the_rest_is_held(self) -> None:
        for user in users():
            found = try_all(user, abi=0)
            with self.subTest(user=user):
                self.assertEqual(found.level, "seccomp")
                # As root the capabilities of the run keep a process without them out of its part of /proc.
                self.assertLessEqual(found.named("out"), FILES)
                self.assertIn("read .git/config", found.named("out"))
                self.assertEqual(found.details["files"], False)

    def test_without_seccomp_files_are_held_and_the_report_says_what_is_not(self) -> None:
        for user in users():
            found = try_all(user, seccomp=False)
            with self.subTest(user=user):
                self.assertEqual(found.level, "landlock")
                # What Landlock's rules on files, TCP and signals and the lost privileges hold by themselves.
                by_path = FILES - {"open the run's memory in /proc"}
                self.assertEqual(found.named("out") & by_path, set())
                if OFFER.landlock_abi >= 4:
                    self.assertNotIn("connect by TCP", found.named("out"))
                self.assertIn("send by UDP", found.named("out"))
                self.assertIn("not filtered", str(found.details["missing"]))


def table(rows: list[tuple[int, str, list[str], list[str]]]) -> Iterator[str]:
    yield ""
    yield f"{'user':>6}  {'escape':40} {'without':8} {'within':8} {'the kernel said'}"
    for user, name, (without, _), (within, said) in rows:
        yield f"{user:>6}  {name:40} {without:8} {within:8} {said}"


class Modes(unittest.TestCase):
    def test_off_does_nothing(self) -> None:
        report = enter(Settings("off", (), "/nowhere"))
        self.assertEqual((report.level, report.details), ("off", {"asked": "off"}))

    def test_required_refuses_where_files_or_network_cannot_be_held(self) -> None:
        cases = [
            (Offer("Linux 5.4.0", 0, X86_64), "Landlock", "seccomp filter"),
            (Offer("Linux 6.8.0", 4, None), "seccomp filter", "Landlock"),
            (Offer("darwin", 0, None), "Landlock", "nothing"),
        ]
        for offer, missing, there in cases:
            with self.subTest(system=offer.system), self.assertRaises(SandboxRefused) as refused:
                enter(Settings("required", (), "/nowhere"), offer)
            text = str(refused.exception)
            self.assertIn(missing, text)
            self.assertNotIn(there, text)
            self.assertIn(offer.system, text)
            self.assertIn("sandbox: auto", text)

    def test_settings_are_read_from_the_load_frame(self) -> None:
        settings = read_settings({"mode": "auto", "read": ["/a", "/b"], "write": "/c"})
        self.assertEqual((settings.mode, settings.read, settings.write), ("auto", ("/a", "/b"), "/c"))
        for wrong in (
            None,
            {},
            {"mode": "on", "read": [], "write": "/c"},
            {"mode": "auto", "read": "/a", "write": "/c"},
        ):
            with self.subTest(wrong=wrong), self.assertRaises(ValueError):
                read_settings(wrong)


class Hints(unittest.TestCase):
    def test_what_the_sandbox_refuses_is_explained(self) -> None:
        cases: list[tuple[BaseException, str]] = [
            (PermissionError(13, "Permission denied", "/etc/passwd"), "allow_read"),
            (OSError(18, "Invalid cross-device link"), "temporary folder"),
            (PermissionError(1, "Operation not permitted"), "no network"),
            (MemoryError(), "2 GiB"),
        ]
        for error, words in cases:
            with self.subTest(error=error):
                self.assertIn(words, hint(error) or "")

    def test_it_is_explained_inside_a_librarys_own_error(self) -> None:
        def wrapped(cause: BaseException) -> BaseException:
            try:
                try:
                    raise cause
                except type(cause) as inner:
                    raise RuntimeError("connection failed") from inner
            except RuntimeError as outer:
                return outer

        self.assertIn("no network", hint(wrapped(PermissionError(1, "Operation not permitted"))) or "")
        self.assertIn("no network", hint(wrapped(gaierror(-3, "Temporary failure in name resolution"))) or "")
        self.assertIsNone(hint(wrapped(ValueError("x"))))

    def test_other_exceptions_are_not(self) -> None:
        class Own(PermissionError):
            @property
            def errno(self) -> int:  # type: ignore[override]
                raise RuntimeError

        for error in (ValueError("PermissionError"), FileNotFoundError(2, "No such file"), Own("mine"), SystemExit(1)):
            with self.subTest(error=type(error)):
                self.assertIsNone(hint(error))

    def test_nothing_is_explained_without_a_sandbox(self) -> None:
        self.assertIsNone(explain(PermissionError(13, "Permission denied")))


class LandlockAbis(unittest.TestCase):
    def test_each_asks_for_what_it_knows_and_no_more(self) -> None:
        """A right that the kernel does not know, or a structure that is too long, is an error there."""
        rights = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF, 6: 0xFFFF, 7: 0xFFFF}
        for abi, files in rights.items():
            with self.subTest(abi=abi):
                rules = Rules(abi)
                self.assertEqual(rules.files, files)
                self.assertEqual(rules.network, 3 if abi >= 4 else 0)
                self.assertEqual(rules.scopes, 3 if abi >= 6 else 0)
                self.assertEqual(len(rules.encoded()), 8 if abi < 4 else 16 if abi < 6 else 24)


class Readable(unittest.TestCase):
    def paths(self, *read: str) -> set[str]:
        grants, _ = find_access(Settings("auto", read, "/nowhere"))
        return {path for path, access in grants if access & (1 << 2)}

    def test_the_graders_folder_as_a_whole(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            real = os.path.realpath(folder)
            self.assertIn(real, self.paths(folder))
            self.assertNotIn(os.path.dirname(real), self.paths(folder))

    def test_of_a_repositorys_root_not_git_and_nothing_hidden(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(os.path.realpath(folder))
            (root / ".git").mkdir()
            (root / ".env").touch()
            (root / "grade.py").touch()
            (root / "words").mkdir()
            (root / "out").symlink_to("/etc")
            beneath = {path for path in self.paths(folder) if path.startswith(str(root))}
            self.assertEqual(beneath, {str(root / "grade.py"), str(root / "words")})

    def test_nothing_inside_git(self) -> None:
        grants, left_out = find_access(Settings("auto", ("/somewhere/.git/config",), "/nowhere"))
        self.assertNotIn("/somewhere/.git/config", {path for path, _ in grants})
        self.assertIn("/somewhere/.git/config", left_out)

    def test_not_the_home_folder_or_the_root_as_a_whole(self) -> None:
        # The system's word for it, as the sandbox asks: HOME may name any folder.
        home = pwd.getpwuid(os.getuid()).pw_dir
        granted = self.paths(home, "/")
        self.assertNotIn(home, granted)
        self.assertFalse({"/", "/etc", "/proc", "/root", "/home", f"{home}/.ssh", f"{home}/.netrc"} & granted)


if __name__ == "__main__":
    unittest.main()
