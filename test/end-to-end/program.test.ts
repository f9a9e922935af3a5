import { chmod } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { judgeChange } from "../support/change.ts";
import { expectRefusal, jsonLines, readRunDirectory, regrade } from "../support/cli.ts";

/** Programs of any language as graders, from the manifest to the verdict. */

const linux = process.platform === "linux";

const suite = `name: cities
dataset: { file: cases.jsonl, id_field: id }
prompt_template: "{{say}}"
target_template: "{{want}}"
candidates: { app: { command: [cat] } }
graders:
  - { type: program, command: graders/check.sh, files: [graders/words.txt], name: known }
  - { type: program, command: python3, args: [graders/half.py], input: json, result: json, name: half }
  - { type: code, language: javascript, assertions: ["output.length > 0", "errors.length === 0"], name: js }
gate: { rules: [{ metric: known, min: 0.5 }] }
`;
const project = {
  "evals/suite.yaml": suite,
  "evals/cases.jsonl": jsonLines([
    { id: "a", say: "Paris", want: "Paris" },
    { id: "b", say: "Atlantis", want: "Rome" },
  ]),
  "evals/graders/check.sh":
    '#!/bin/sh\ngrep -qx "$(cat)" graders/words.txt || { echo unknown >&2; exit 1; }\n',
  "evals/graders/words.txt": "Paris\nRome\n",
  "evals/graders/half.py":
    'import json, sys\ngiven = json.load(sys.stdin)\nheld = given["output"] == given["task"]["want"]\nprint(json.dumps({"score": 0.5, "passed": held, "message": given["task"]["id"]}))\n',
};

function rowWith(files: unknown): string {
  const check = { type: "program", command: "python3", args: ["graders/half.py"], files };
  return jsonLines([{ id: "a", say: "Paris", want: "Paris", checks: [check] }]);
}

describe.skipIf(!linux)("programs as graders", () => {
  it("grade each sample, with the reasons kept", { tags: "smoke" }, async () => {
    await using fixture = await createFixture(project);
    await chmod(fixture.getPath("evals/graders/check.sh"), 0o755);
    const end = await regrade(["run", "evals/suite.yaml", "--out", "out"], { in: fixture.path });
    expect(end.stderr).not.toContain("error");
    const { samples, run } = await readRunDirectory(fixture.getPath("out"));
    const [a, b] = samples.toSorted((x, y) => (x.case_id < y.case_id ? -1 : 1));
    expect(a?.scores).toMatchObject({
      known: 1,
      "known.passed": 1,
      half: 0.5,
      "half.passed": 1,
      js: 1,
    });
    expect(b?.scores).toMatchObject({ known: 0, "half.passed": 0, js: 1 });
    expect(b?.judge?.["known"]).toMatchObject({
      feedback: "Program exited with error: exit status 1; stderr: unknown",
    });
    expect(run.gate.verdict).toBe("pass");
    expect(end.code).toBe(0);
  });

  it("are refused before anything runs where they can't be used", async () => {
    const cases = [
      ["command: no-such-program", 'no program "no-such-program" on the PATH'],
      ["command: graders/words.txt", "can't be run"],
      ["command: ../outside.sh", "is not there"],
      ["command: 'true', files: [nothing]", "nothing is not there"],
      ["command: 'true', env: [OPENAI_API_KEY]", "may hold a secret"],
    ] as const;
    for (const [options, words] of cases) {
      const manifest = suite.replace(
        /graders:[^]*gate:.*\n/,
        `grader: { type: program, ${options} }\n`,
      );
      await using fixture = await createFixture({ ...project, "evals/suite.yaml": manifest });
      const end = await regrade(["validate", "evals/suite.yaml"], {
        in: fixture.path,
        env: { OPENAI_API_KEY: "sk-1234567890abcdef" },
      });
      expectRefusal(end, 2);
      expect(end.stderr).toContain(words);
    }
  });

  it("of a row are refused without the hashes of their files, and with other ones", async () => {
    const manifest = suite.replace(
      /graders:[^]*gate:.*\n/,
      "grader: { type: row_checks, field: checks }\n",
    );
    const cases = [
      [[], "name it in `files` as {path, sha256}"],
      [["graders/half.py"], "a file with its hash"],
      [[{ path: "graders/half.py", sha256: "0".repeat(64) }], "its hash differs"],
    ] as const;
    for (const [files, words] of cases) {
      await using fixture = await createFixture({
        ...project,
        "evals/suite.yaml": manifest,
        "evals/cases.jsonl": rowWith(files),
      });
      const end = await regrade(["validate", "evals/suite.yaml"], { in: fixture.path });
      expectRefusal(end, 2);
      expect(end.stderr).toContain(words);
    }
  });

  it("are the base's: a change of one does not judge itself", async () => {
    for (const path of ["evals/graders/check.sh", "evals/graders/words.txt"] as const) {
      const base = {
        ...project,
        "evals/suite.yaml": suite.replace(
          "command: graders/check.sh",
          "command: sh, args: [graders/check.sh]",
        ),
        "evals/cases.jsonl": jsonLines([{ id: "a", say: "Atlantis", want: "Rome" }]),
      };
      const head = path.endsWith(".sh") ? "exit 0\n" : "Atlantis\n";
      await using judged = await judgeChange({
        base,
        head: { [path]: head },
        argv: ["evals/suite.yaml"],
      });
      const { run } = judged;
      expect(run.policy?.changed.map(({ part }) => part)).toEqual(["grader"]);
      expect(run.policy?.base?.verdict).toBe("fail");
      expect(run.policy?.head?.verdict).toBe("pass");
      expect(run.gate.verdict).toBe("fail");
    }
  });
});
