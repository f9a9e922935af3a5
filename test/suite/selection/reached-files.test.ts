import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { hashGlobs } from "../../../src/io/files/glob.ts";
import { hashFile, inspectPath, openFile } from "../../../src/io/files/files.ts";
import type { CandidateSpec } from "../../../src/model/definition/candidate-spec.ts";
import { reachedFiles, undeclaredCode } from "../../../src/suite/selection/reached-files.ts";

const tools = { files: { hashFile, inspectPath, openFile }, candidateTools: { hashGlobs } };
const shared = { env: [], pass: [], timeout_seconds: 10 };

const files = {
  "evals/app.py": 'import lib\nfrom pkg import part\nopen("config.json")\n',
  "evals/lib.py": "import src_only\n",
  "evals/pkg/__init__.py": "",
  "evals/pkg/part.py": "",
  "evals/config.json": "{}",
  "evals/other.py": "",
  "evals/run.sh": "exec python3 tools/start.py\n",
  "evals/tools/start.py": "",
  "evals/server.js": `const { x } = require("./routes/x");\nimport("express");\n`,
  "evals/routes/x.js": "",
  "src/src_only.py": "",
};

const command = (words: readonly string[], inputs: readonly string[]): CandidateSpec => ({
  id: "app",
  kind: "command",
  command: words,
  ...shared,
  inputs,
});
const http: CandidateSpec = {
  id: "app",
  kind: "http",
  url: "http://127.0.0.1:1/",
  method: "POST",
  headers: {},
  body: undefined,
  output: "",
  max_retries: 0,
  ...shared,
  inputs: ["server.js"],
};
const imported = ["evals/lib.py", "evals/pkg/__init__.py", "evals/pkg/part.py", "src/src_only.py"];

describe("code that a candidate consists of beside its inputs", () => {
  it.each<readonly [string, CandidateSpec, readonly string[]]>([
    ["that a declared program imports", command(["python3", "app.py"], ["app.py"]), imported],
    [
      "that no input names, not even the program",
      command(["python3", "app.py"], ["config.json"]),
      ["evals/app.py", ...imported],
    ],
    ["that a script starts", command(["sh", "run.sh"], ["run.sh"]), ["evals/tools/start.py"]],
    ["that a declared server imports", http, ["evals/routes/x.js"]],
    ["all of it declared", command(["python3", "app.py"], ["**/*.py", "../src/*"]), []],
    ["without inputs", command(["python3", "app.py"], []), []],
  ])("%s", async (...[, candidate, paths]) => {
    await using fixture = await createFixture(files);
    const place = { root: fixture.path, directory: fixture.getPath("evals") };
    const found = await undeclaredCode(candidate, place, tools);
    expect(Object.keys(found)).toEqual(paths);
    expect(new Set(Object.values(found).map((digest) => typeof digest))).toEqual(
      new Set(paths.length === 0 ? [] : ["string"]),
    );
  });

  it("counts what is named in quotes where a change is looked for", async () => {
    await using fixture = await createFixture(files);
    const place = { root: fixture.path, directory: fixture.getPath("evals") };
    const paths = Object.keys(files);
    const app = command(["python3", "app.py"], ["app.py"]);
    const found = await reachedFiles(app, place, { paths, tools });
    expect([...found].toSorted()).toEqual(
      ["evals/app.py", "evals/config.json", ...imported].toSorted(),
    );
  });
});
