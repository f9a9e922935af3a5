import { expect, test } from "vitest";
import type { CandidateSpec } from "../../../../src/model/definition/candidate-spec.ts";
import { reachOf } from "../../../../src/suite/policy/programs/program-reach.ts";
import { slot } from "../suites.ts";

const started = (...command: readonly string[]): CandidateSpec =>
  Object.assign(slot("app"), { command });

test.each<readonly [string, CandidateSpec, Readonly<Record<string, string>>, readonly string[]]>([
  [
    "imports of Python, from its folder and from packages",
    started("python3", "app.py"),
    {
      "evals/app.py": "import helper\nfrom pkg.part import x\nimport json\n",
      "evals/helper.py": "",
      "evals/pkg/__init__.py": "",
      "evals/pkg/part.py": "",
      "evals/other.py": "",
    },
    ["evals/app.py", "evals/helper.py", "evals/pkg/__init__.py", "evals/pkg/part.py"],
  ],
  [
    "imports of Python whose names stand in brackets, over several lines",
    started("python3", "-m", "app"),
    {
      "evals/app.py":
        "from . import (  # both\r\n    helper,  # (once)\r\n    other as o,\r\n)\nfrom .pkg import (a)\n",
      "evals/helper.py": "",
      "evals/other.py": "",
      "evals/once.py": "",
      "evals/pkg/a.py": "",
    },
    ["evals/app.py", "evals/helper.py", "evals/other.py", "evals/pkg/a.py"],
  ],
  [
    "imports of JavaScript, without their endings",
    started("node", "app.mjs"),
    {
      "evals/app.mjs": `import { x } from "./lib/x";`,
      "evals/lib/x.ts": "",
      "evals/lib/y.ts": "",
    },
    ["evals/app.mjs", "evals/lib/x.ts"],
  ],
  [
    "programs and files that it names in quotes",
    started("python3", "-S", "app.py"),
    {
      "evals/app.py": `run(["python3", "tools/h.py"]); open("config.json"); import_module("plug")`,
      "evals/tools/h.py": "",
      "evals/config.json": `{"next": "kb.txt"}`,
      "evals/kb.txt": "",
      "evals/plug.py": "",
      "scripts/make.py": "",
    },
    ["evals/app.py", "evals/config.json", "evals/kb.txt", "evals/plug.py", "evals/tools/h.py"],
  ],
  [
    "words of a shell script, and a module after -m",
    started("sh", "run.sh"),
    { "evals/run.sh": "exec python3 src/app.py", "evals/src/app.py": "", "evals/src/b.py": "" },
    ["evals/run.sh", "evals/src/app.py"],
  ],
  [
    "a package that is started as a module",
    started("python3", "-m", "app.main"),
    { "evals/app/main.py": "", "evals/app/x.py": "", "evals/tests/test_x.py": "" },
    ["evals/app/main.py", "evals/app/x.py"],
  ],
])("a program is made of %s", async (...[, candidate, files, expected]) => {
  const reached = await reachOf([candidate], {
    paths: new Set(Object.keys(files)),
    home: "evals",
    readText: async (path) => files[path] ?? "",
  });
  expect([...reached].toSorted()).toEqual(expected);
});
