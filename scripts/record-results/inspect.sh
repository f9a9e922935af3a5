#!/usr/bin/env bash
# Records the output of Inspect in test/fixtures/results/inspect. It runs the tool itself, from PyPI, in a folder of its own:
#
#     scripts/record-results/inspect.sh [FOLDER]
#
# FOLDER: where it is installed already (FOLDER/venv), or will be; default: a new temporary one.
set -euo pipefail
version=0.3.285
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
fixtures="$here/../../test/fixtures/results/inspect"
install="${1:-$(mktemp -d)}"
tool="$install/venv/bin/inspect"

[ -x "$tool" ] || { python3 -m venv "$install/venv" && "$install/venv/bin/pip" install -q "inspect-ai==$version"; }
mkdir -p "$fixtures"

# record NAME CANDIDATE TASK FORMAT [OPTION…]
record() {
  local folder="$install/recording"
  rm -rf "$folder" && mkdir -p "$folder" && cp "$here/inspect_task.py" "$folder/"
  (cd "$folder" && HOME="$folder" CANDIDATE="$2" "$tool" eval "inspect_task.py@$3" \
    --log-format "$4" --log-dir logs --display none --no-log-realtime "${@:5}") || true
  "$install/venv/bin/python" "$here/scrub_inspect.py" "$folder"/logs/*."$4" "$fixtures/$1.$4" "$install"
}

record base base capitals eval
record head head capitals eval
record few head capitals json --sample-id france,kenya,qatar,lemuria
record numbered base numbered eval
record aborted base aborted eval
