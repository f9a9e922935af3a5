#!/usr/bin/env bash
# Records test/fixtures/results/vitest: two versions of a candidate by the Vitest that this repository is tested with.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
fixtures=$root/test/fixtures/results/vitest
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/evals"
ln -s "$root/node_modules" "$scratch/node_modules"
cd "$scratch"
python3 -c "import sys, json; sys.path.insert(0, '$here'); import tickets
print('export default ' + json.dumps([{**c, 'base': tickets.classify('base', c['text']), 'head': tickets.classify('head', c['text'])} for c in tickets.CASES]))" > cases.mjs

cat > evals/labels.test.mjs <<'JS'
import { beforeEach, describe, expect, test } from "vitest";
import cases from "../cases.mjs";

const version = process.env.VERSION;

describe("labels", () => {
  test.each(cases)("$text", (ticket) => {
    expect(ticket[version]).toBe(ticket.label);
  });
});

describe("service", () => {
  let tries = 0;
  test("answers at the second try", { retry: 2 }, () => expect(++tries).toBe(2));
  test.skip("is fast", () => {});
  test.todo("understands irony");
  test("throws nothing", () => {
    console.log("<b> \u001b[31mred\u001b[0m ::error::no ]]>");
    if (version === "head") throw new TypeError("the answer is undefined: <b>&amp; ]]> \u001b[31mred\u001b[0m ::error::no");
  });
  test("same name", () => {});
  test("same name", () => expect(version).toBe("base"));
  describe("with a session", () => {
    beforeEach(() => {
      if (version === "head") throw new Error("no session");
    });
    test("closes it", () => {});
  });
});
JS
cat > evals/other.test.mjs <<'JS'
import { expect, test } from "vitest";

if (process.env.VERSION === "head") throw new Error("does not load");
test("a file that head can't load", () => expect(1).toBe(1));
JS

mkdir -p "$fixtures"
for version in base head; do
  # Some fail: that is the point.
  VERSION=$version "$root/node_modules/.bin/node" "$root/node_modules/vitest/vitest.mjs" run --reporter=junit --outputFile="$version.xml" || [ $? = 1 ]
  sed -E "s#$scratch#/repo#g; s#hostname=\"[^\"]*\"#hostname=\"runner\"#" "$version.xml" > "$fixtures/$version.xml"
done
