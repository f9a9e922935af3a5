#!/usr/bin/env bash
# Records test/fixtures/results/pytest: two versions of a candidate by the real tool. PYTEST_PYTHON may name an interpreter
# that has pytest and pytest-rerunfailures; else they are installed in a scratch folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fixtures=$(cd "$here/../.." && pwd)/test/fixtures/results/pytest
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python=${PYTEST_PYTHON:-}
if [ -z "$python" ]; then
  python3 -m venv "$scratch/venv"
  python="$scratch/venv/bin/python"
  "$python" -m pip install --quiet pytest==9.2.0 pytest-rerunfailures==16.7
fi
mkdir "$scratch/tests"
cp "$here/tickets.py" "$scratch"
cd "$scratch"

cat > tests/test_labels.py <<'PY'
import os

import pytest

from tickets import CASES, classify

VERSION = os.environ["VERSION"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"])
def test_label(case, record_property):
    label = classify(VERSION, case["text"])
    record_property("kind", case["id"][-1])
    record_property("score", float(label == case["label"]))
    assert label == case["label"]


class TestService:
    @pytest.fixture
    def server(self):
        if VERSION == "head":
            raise ConnectionError("the model's server does not answer")

    def test_health(self, server):
        pass

    @pytest.fixture
    def session(self):
        yield
        raise RuntimeError("the session can't be closed")

    def test_closing(self, session):
        assert VERSION == "base", "the answer came after the end"

    @pytest.mark.skip(reason="needs a GPU")
    def test_speed(self):
        pass

    @pytest.mark.xfail(reason="not yet")
    def test_irony(self):
        assert False

    tries = 0

    @pytest.mark.flaky(reruns=2)
    def test_flaky(self):
        TestService.tries += 1
        assert TestService.tries == 2

    @pytest.mark.flaky(reruns=2)
    def test_given_up(self):
        assert VERSION == "base"

    def test_markup(self):
        assert VERSION == "base", "<b>&amp; ]]> \x1b[31mred\x1b[0m ::error::no \u202e"
PY

mkdir -p "$fixtures"
for version in base head; do
  # Some fail: that is the point.
  VERSION=$version "$python" -m pytest -q -p no:cacheprovider --tb=line --junitxml="$version.xml" -o junit_suite_name=evals tests || [ $? = 1 ]
  sed -E "s#$scratch#/repo#g; s#hostname=\"[^\"]*\"#hostname=\"runner\"#" "$version.xml" > "$fixtures/$version.xml"
done
