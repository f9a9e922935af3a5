"""Recreates a sample's files behind the fence. Only the scratch folder changes, whatever their paths say."""

from __future__ import annotations

import base64
import json
import os

#: Mode of a recreated file. The original modes are not kept, so every file may be executed.
_MODE = 0o755


def lay_out(files: object, scratch: str) -> list[str]:
    """Make ``tmp``, and from a list of files ``workspace`` and ``files.json``, in the scratch folder. Return the paths
    whose content is missing: it was not kept, or can't be written."""
    os.mkdir(os.path.join(scratch, "tmp"))
    if not isinstance(files, list):
        return []
    workspace = os.path.join(scratch, "workspace")
    os.mkdir(workspace)
    entries = [each for each in files if isinstance(each, dict) and each.get("change") != "deleted"]
    # Links come last, so that nothing is written through one.
    entries.sort(key=lambda each: each.get("link") is not None)
    missing = [str(each.get("path")) for each in entries if not _made(each, workspace)]
    listing = [{**_listed(each), "laid_out": str(each.get("path")) not in missing} for each in entries]
    with open(os.path.join(scratch, "files.json"), "w", encoding="utf-8", errors="replace") as file:
        json.dump(listing, file)
    return missing


def _listed(entry: dict[str, object]) -> dict[str, object]:
    return {key: entry[key] for key in ("path", "change", "bytes", "sha256") if key in entry}


def _made(entry: dict[str, object], workspace: str) -> bool:
    path = _inside(entry.get("path"), workspace)
    if path is None:
        return False
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        link = entry.get("link")
        if isinstance(link, str):
            os.symlink(link, path)
            return True
        content = _content(entry)
        if content is None:
            return False
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, _MODE)
        with open(descriptor, "wb") as file:
            file.write(content)
    except (OSError, ValueError, RecursionError):  # RecursionError: folders nested 1,000 deep
        return False
    return True


def _inside(path: object, workspace: str) -> str | None:
    if not isinstance(path, str) or path.startswith("/") or "\0" in path:
        return None
    parts = path.split("/")
    return None if not path or any(part in ("", ".", "..") for part in parts) else os.path.join(workspace, *parts)


def _content(entry: dict[str, object]) -> bytes | None:
    text, encoded = entry.get("text"), entry.get("base64")
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    return base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else None
