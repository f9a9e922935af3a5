import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { describe, expect } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import { regrade } from "../support/cli.ts";
import { itSome } from "../support/rows.ts";

// Skipped where ../shared, which is not part of the repository, is absent.
const file = "../shared/vectors/waza.json";

interface Vector {
  readonly id: string;
  readonly grader: string;
  readonly input: {
    readonly files: Readonly<Record<string, string>>;
    readonly agent: Readonly<Record<string, readonly JsonObject[]>>;
    readonly task_filters?: readonly string[];
    readonly tag_filters?: readonly string[];
  };
  readonly expected: { readonly value?: JsonObject; readonly error?: string };
}

const all: readonly Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
const vectors = all.filter(({ grader }) => grader === "@run_eval");

/** Runs that are refused, as docs/waza.md says under "Differences". */
const refused: Readonly<Record<string, string>> = {
  "e2.run_eval.same-named-task-grader-replaces-the-global-result": "two graders of one task",
  "e2.run_eval.two-global-graders-with-the-same-name-last-wins": "two graders of one task",
  "e2.run_eval.before-task-hook-failure-task-failed-no-runs": "put the commands into the workflow",
  "e2.run_eval.after-task-hook-failure-is-only-a-warning": "put the commands into the workflow",
};

/** Parts of a result that differ in every run, or for a reason that docs/waza.md and docs/results/waza.md give. */
const elsewhere: readonly RegExp[] = [
  // A candidate of the test's own takes the place of waza's mock engine.
  /^\.config\.engine_type/,
  /\.details/,
];
const differing: Readonly<Record<string, RegExp>> = {
  // Every task runs, so that runs can be compared.
  "e2.run_eval.fail-fast-stops-after-first-failing-task-sequential": /^\.(?:summary|tasks)/,
  // A time that the agent broke off is one of the attempts; waza asks no more after it.
  "e2.run_eval.max-attempts-does-not-retry-errors": /^\.(?:summary|tasks)/,
  // A second task of one id gets a number behind it.
  "e2.run_eval.duplicate-task-ids-are-kept": /^\.tasks\[1\]\.test_id/,
};

const codes: Readonly<Record<string, number>> = {
  "e2.run_eval.max-attempts-does-not-retry-errors": 0,
};

/** An agent that answers each prompt as its script says, the n-th time with the n-th answer. */
const agent = `import json, os, sys
script, asked_before = json.load(open("agent.json")), {}
for line in sys.stdin:
    asked = json.loads(line)
    answers = script.get(asked["prompt"]) or script["*"]
    n = asked_before.get(asked["prompt"], 0)
    asked_before[asked["prompt"]] = n + 1
    answer = answers[min(n, len(answers) - 1)]
    told = {"id": asked["id"]}
    if "error" in answer:
        told["error"] = answer["error"]
    else:
        usage = answer.get("usage", {})
        end = {"type": "end", "reason": "done", **({key: usage[key] for key in ("turns", "premium_requests") if key in usage})}
        tokens = {key: value for key, value in usage.items() if key.endswith("_tokens")}
        told.update(output_text=answer["output"], transcript=[end], usage=tokens or None)
    print(json.dumps(told), flush=True)
`;

/** An agent that leaves the files of its script, each time anew. */
const leaving = `import json, os, sys
[answer] = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "agent.json")))["pa"]
for path, text in answer["workspace_files"].items():
    open(path, "w").write(text)
print(json.dumps({"type": "message", "role": "assistant", "text": answer["output"]}))
print(json.dumps({"type": "end", "reason": "done"}))
`;

describe.skipIf(vectors.length === 0)("whole runs of waza", () => {
  itSome(vectors)("$id", async ({ id, input, expected }) => {
    const { found, code, stderr } = await ranAndReported(input);
    const reason = refused[id];
    if (reason !== undefined) {
      expect(code, stderr).toBe(2);
      return expect(stderr).toContain(reason);
    }
    if (expected.error !== undefined) return expect(code, stderr).toBe(2);
    const own = differing[id];
    const others = differences(expected.value ?? {}, found).filter(
      (path) =>
        ![...elsewhere, ...(own === undefined ? [] : [own])].some((each) => each.test(path)),
    );
    expect(others, stderr).toEqual([]);
    expect(code, stderr).toBe(codes[id] ?? exitCodeOf(expected.value ?? {}));
  });
});

async function ranAndReported({ files, agent: script, ...filters }: Vector["input"]) {
  const leaves = JSON.stringify(script).includes("workspace_files");
  await using fixture = await createFixture({
    ...files,
    "agent.json": JSON.stringify(script),
    "agent.py": leaves ? leaving : agent,
  });
  const program = ["python3", fixture.getPath("agent.py")];
  const m1 = leaves
    ? { agent: { command: program, events: "regrade" }, workspace: { files: "files" } }
    : { worker: ["python3", "agent.py"] };
  const suite = { uses: "eval.yaml", candidates: { m1 }, run: { concurrency: 1 } };
  await fixture.writeFile("suite.yaml", JSON.stringify(suite));
  const at = { in: fixture.path };
  const end = await regrade(["run", "suite.yaml", "--out", "run", ...flagsFor(filters)], at);
  if (end.code === 2) return { ...end, found: undefined };
  await regrade(["report", "run", "--as", "waza", "--out", "out"], at);
  const found: Json = JSON.parse(await readFile(fixture.getPath("out/results.json"), "utf8"));
  return { ...end, found };
}

function flagsFor({
  task_filters: tasks = [],
  tag_filters: tags = [],
}: Partial<Vector["input"]>): readonly string[] {
  return [
    ...tasks.flatMap((task) => ["--case", task]),
    ...tags.flatMap((tag) => ["--where", `tags=${tag}`]),
  ];
}

/** 0 and 1 as waza has them; 4 where no answer of the agent could be judged. */
function exitCodeOf({ summary, tasks }: JsonObject): number {
  const runs = JSON.stringify(tasks);
  if (!runs.includes('"validations":{')) return 4;
  return isJsonObject(summary) && summary["failed"] === 0 ? 0 : 1;
}

/** Where a value differs from the expected one, which may say less. */
function differences(expected: Json, found: Json | undefined, path = ""): readonly string[] {
  if (Array.isArray(expected) && Array.isArray(found))
    return [
      ...(expected.length === found.length ? [] : [`${path}.length`]),
      ...expected.flatMap((each, i) => differences(each, found[i], `${path}[${i}]`)),
    ];
  if (isJsonObject(expected) && isJsonObject(found))
    return Object.entries(expected).flatMap(([key, each]) =>
      differences(each, found[key], `${path}.${key}`),
    );
  const areNumbers = typeof expected === "number" && typeof found === "number";
  const isSame = areNumbers ? Math.abs(expected - found) < 1e-9 : expected === found;
  return isSame ? [] : [`${path}: ${JSON.stringify(expected)}, not ${JSON.stringify(found)}`];
}
