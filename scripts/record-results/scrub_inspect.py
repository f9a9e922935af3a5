"""Copies a log of Inspect without the paths of the machine that it was made on: `scrub_inspect.py LOG COPY FOLDER`."""

import json
import sys
import zipfile

import zipfile_zstd  # noqa: F401  (teaches zipfile the compression that Inspect uses)

log, copy, folder = sys.argv[1:]


def scrub(content: bytes) -> bytes:
    """Tracebacks are kept, but not twice: the one in colours holds each file's lines."""
    found = json.loads(content.decode().replace(folder, "/recorded"))
    drop_colours(found)
    return json.dumps(found, indent=2).encode()


def drop_colours(value: object) -> None:
    if isinstance(value, dict):
        if "traceback_ansi" in value:
            value["traceback_ansi"] = ""
        if isinstance(value.get("traceback"), str):
            value["traceback"] = value["traceback"][-600:]
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        drop_colours(inner)


if log.endswith(".json"):
    with open(log, "rb") as source, open(copy, "wb") as target:
        target.write(scrub(source.read()))
else:
    with zipfile.ZipFile(log) as source, zipfile.ZipFile(copy, "w") as target:
        for entry in source.infolist():
            target.writestr(entry.filename, scrub(source.read(entry)), compress_type=entry.compress_type)
