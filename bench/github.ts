import { startProject, type Files, type Project } from "../test/support/github/project.ts";
import { median, timed } from "./measure.ts";
import type { Row } from "./table.ts";

const callMilliseconds = 150;
const mostCalls = 14;

interface Case {
  readonly what: string;
  readonly branch: "same" | "worse";
  readonly verdict: "pass" | "fail";
  readonly mostSeconds: number;
  /** An earlier run has left its comment. */
  readonly isTold: boolean;
}

const cases: readonly Case[] = [
  { what: "a pass", branch: "same", verdict: "pass", mostSeconds: 3, isTold: false },
  { what: "a fail", branch: "worse", verdict: "fail", mostSeconds: 3.5, isTold: false },
  { what: "a pass after a fail", branch: "same", verdict: "pass", mostSeconds: 3, isTold: true },
];

/**
 * The action's overhead for a run on a pull request: baseline, policy of the base, artifacts, comment and check run,
 * against a stand-in of GitHub whose API takes 150 ms per call. Compared with the same suite from the command line.
 * Includes checkout and the post step.
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
  await project.commit("same", { "README.md": "changed" });
  await project.commit("worse", suite(20));
  project.github.rest.latency = callMilliseconds;
  const terminal: number[] = [];
  const seen = cases.map(createMeasured);
  for (let round = 0; round < rounds; round += 1) {
    for (const each of seen) {
      const { seconds, calls } = await judge(each.of, project);
      each.seconds.push(seconds);
      each.calls = Math.max(each.calls, calls);
    }
    terminal.push(await fromTerminal(cli, { project, round }));
  }
  const calls = Math.max(...seen.map((each) => each.calls));
  return [
    ...seen.map(({ of: { what, mostSeconds }, seconds }) => {
      const added = median(seconds) - median(terminal);
      return {
        what: `the action's overhead on ${what}, ${callMilliseconds} ms a call of GitHub's`,
        ratio: added,
        limit: `≤ ${mostSeconds} s`,
        kept: added <= mostSeconds,
        seen: `${median(seconds).toFixed(2)} s : ${median(terminal).toFixed(2)} s from the command line (checkout included)`,
      };
    }),
    {
      what: "calls of GitHub's API, a pull request with one suite",
      ratio: calls,
      limit: `≤ ${mostCalls}`,
      kept: calls <= mostCalls,
      seen: seen.map(({ of, calls: own }) => `${of.what} ${own}`).join(", "),
    },
  ];
}

interface MeasuredCase {
  readonly of: Case;
  readonly seconds: number[];
  calls: number;
}

function createMeasured(of: Case): MeasuredCase {
  return { of, seconds: [], calls: 0 };
}

async function judge(
  { branch, verdict, isTold }: Case,
  project: Project,
): Promise<{ readonly seconds: number; readonly calls: number }> {
  const { rest } = project.github;
  if (!isTold) rest.state.comments.length = 0;
  const before = rest.calls.length;
  const started = performance.now();
  const end = await project.pull(branch);
  const seconds = (performance.now() - started) / 1000;
  if (end.outputs["verdict"] !== verdict) throw new Error(end.stdout);
  return { seconds, calls: rest.calls.length - before };
}

async function fromTerminal(
  cli: string,
  { project, round }: { readonly project: Project; readonly round: number },
): Promise<number> {
  const { path } = project.origin;
  const argv = [process.execPath, cli, "run", `${path}/evals/qa.yaml`, "--baseline", "none"];
  const out = `${path}/run-${round}`;
  const measured = await timed([...argv, "--out", out, "--quiet"], { codes: [0, 1] });
  return measured.seconds;
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
