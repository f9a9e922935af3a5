import { startProject, type Files } from "../test/support/github/project.ts";
import { median, timed } from "./measure.ts";
import type { Row } from "./table.ts";

const callMilliseconds = 20;
const mostCalls = 12;
const mostSeconds = 3;

/**
 * What the action adds to a run on a pull request: baseline, policy of the base, artifacts, comment and check run, against
 * a stand-in of GitHub that takes 20 ms for each call. The same suite from the command line is what it adds to.
 */
export async function onGitHub({
  cli,
  rounds,
}: {
  readonly cli: string;
  readonly rounds: number;
}): Promise<Row[]> {
  await using project = await startProject(suite(0));
  await project.push("main");
  await project.commit("change", suite(20));
  const { rest } = project.github;
  rest.latency = callMilliseconds;
  const [action, terminal]: [number[], number[]] = [[], []];
  let calls = 0;
  for (let round = 0; round < rounds; round += 1) {
    const before = rest.calls.length;
    const started = performance.now();
    const end = await project.pull("change");
    // The step's end, which has nothing to do, is part of it.
    action.push((performance.now() - started) / 1000);
    if (end.outputs["verdict"] !== "fail") throw new Error(end.stdout);
    calls = Math.max(calls, rest.calls.length - before);
    const { origin } = project;
    const argv = [
      process.execPath,
      cli,
      "run",
      `${origin.path}/evals/qa.yaml`,
      "--baseline",
      "none",
    ];
    const out = `${origin.path}/run-${round}`;
    const codes = [0, 1];
    terminal.push((await timed([...argv, "--out", out, "--quiet"], { codes })).seconds);
  }
  const seconds = median(action) - median(terminal);
  return [
    {
      what: `the action's overhead, ${callMilliseconds} ms a call of GitHub's`,
      ratio: seconds,
      limit: `≤ ${mostSeconds} s`,
      kept: seconds <= mostSeconds,
      seen: `${median(action).toFixed(2)} s : ${median(terminal).toFixed(2)} s from the command line (checkout included)`,
    },
    {
      what: "calls of GitHub's API, a pull request with one suite",
      ratio: calls,
      limit: `≤ ${mostCalls}`,
      kept: calls <= mostCalls,
      seen: String(calls),
    },
  ];
}

/** A suite over recordings; the first `wrong` answers are wrong. */
function suite(wrong: number): Files {
  const rows = Array.from({ length: 60 }, (_, i) => ({ id: `c${i}`, q: `${i}`, a: `${i + 1}` }));
  const outputs = rows.map(({ id, a }, i) => ({ case_id: id, output_text: i < wrong ? "no" : a }));
  return {
    "evals/qa.yaml": [
      "name: qa",
      "dataset: { file: data/qa.jsonl, id_field: id }",
      'prompt_template: "What is {{q}}+1?"',
      'target_template: "{{a}}"',
      "grader: exact_match",
      "candidates: { app: { replay: outputs.jsonl } }",
      "gate: { max_drop: 0.02 }",
      "",
    ].join("\n"),
    "evals/data/qa.jsonl": lines(rows),
    "evals/outputs.jsonl": lines(outputs),
  };
}

function lines(all: readonly object[]): string {
  return all.map((each) => `${JSON.stringify(each)}\n`).join("");
}
