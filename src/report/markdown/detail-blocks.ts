import { chosenSamples } from "../../model/outcomes/chosen.ts";
import type { MetricValue, Run } from "../../model/outcomes/run.ts";
import type { SampleError } from "../../model/outcomes/sample.ts";
import { shardText } from "../../model/outcomes/shard.ts";
import type { Block } from "./budget.ts";
import { changedGroups } from "../cases.ts";
import { beginLine, clip, codeSpan, fence } from "../escape.ts";
import {
  andUnpriced,
  count,
  counted,
  duration,
  figure,
  figureRange,
  unitOf,
  usd,
} from "../words/figures.ts";
import { details, inlineCode, renderedOnce, inlineText, table, unbroken } from "./layout.ts";
import { fenceWords } from "../words/fence.ts";
import { sandboxWords } from "../words/sandbox.ts";
import { resultsWords, whatToRun } from "../results-words.ts";
import { shellWord } from "../shell-word.ts";
import { taskWords } from "./task-words.ts";

/** Samples that ended in the same way. */
export interface ErrorGroup {
  readonly task: string;
  readonly candidate: string;
  readonly stage: SampleError["stage"];
  readonly fault: SampleError["fault"];
  readonly type: string;
  readonly count: number;
  /** Ids of some of its cases. */
  readonly caseIds: readonly string[];
  /** The first sample's message; it may quote a case, so `publish: ids` leaves it out. */
  readonly message: string;
}

/** Run directories of the comparison's two sides, for the commands that repeat it. */
export interface Directories {
  readonly run: string;
  readonly baseline?: string;
}

/** Every metric over all cases, with its interval. */
export function metricsBlock(run: Run): Block {
  return metricTable(run, {
    name: "metrics",
    rank: 5,
    title: "All metrics",
    values: run.metrics.filter((value) => value.slice === null),
  });
}

/** The metrics of a run without rules, which are shown unfolded. */
export function metricsInSight(run: Run): Block {
  const isRead = run.gate.rules.length === 0;
  const values = isRead ? run.metrics.filter(({ slice }) => slice === null) : [];
  const rows = renderedOnce(values, (value) => {
    const [metric = "", candidate = "", , figures = "", interval = "", n = ""] = metricRow(
      run,
      value,
    );
    const small = [candidate, counted(value.n, "case")].filter((word) => word !== "" && n !== "");
    return [
      `${metric}<br><sub>${small.join(" · ")}</sub>`,
      `${figures}<br><sub>${unbroken(interval)}</sub>`,
    ];
  });
  return {
    name: "metrics in sight",
    rank: 2,
    rows: values.length,
    render: (shown) =>
      shown === 0 ? "" : table(["Metric", "Value<br><sub>95% interval</sub>"], "lr", rows(shown)),
  };
}

/** Every metric by slice. */
export function slicesBlock(run: Run): Block {
  return metricTable(run, {
    name: "slices",
    rank: 8,
    title: "Slices",
    values: run.metrics.filter((value) => value.slice !== null),
  });
}

function metricTable(
  run: Run,
  part: {
    name: string;
    rank: number;
    title: string;
    values: readonly MetricValue[];
  },
): Block {
  const { name, rank, title, values } = part;
  const heads = ["Metric", "Candidate", "Slice", "Value", "95% interval", "Cases"];
  const rows = renderedOnce(values, (value) => metricRow(run, value));
  return {
    name,
    rank,
    rows: values.length,
    render: (shown) => {
      if (shown === 0) return "";
      const body = table(heads, "lllrrr", rows(shown));
      return details(`${title} (${count(values.length)})`, body);
    },
  };
}

function metricRow(run: Run, value: MetricValue): readonly string[] {
  const unit = unitOf(run, value);
  return [
    inlineCode(`${value.task}/${value.metric}`),
    run.candidates.length > 1 ? inlineCode(value.candidate) : "",
    value.slice === null ? "" : inlineText(clip(value.slice, 120)),
    value.value === null ? "–" : inlineText(figure(value.value, unit)),
    value.ci === null ? "–" : inlineText(figureRange(value.ci, unit)),
    count(value.n),
  ];
}

/** Counts of all cases by outcome. */
export function ledgerBlock(run: Run): Block {
  const { cases, request_counts: samples } = run;
  const fields = [
    ["declared", cases.declared, "cases of the plan, for each candidate"],
    ["scored", cases.scored, "graded"],
    ["invalid", cases.invalid, "the grader gave no valid score: counts as 0 or as the worst"],
    ["failed", cases.failed, "the candidate failed: counts as the worst"],
    ["ungraded", cases.ungraded, "nobody's fault: no score"],
    ["paired", cases.paired, "compared with the baseline"],
    ["new", cases.new, "not in the baseline"],
    ["missing", cases.missing, "in the baseline, not here"],
    ["renamed", cases.renamed, "same content under another id"],
  ] as const;
  const rows = fields.map(([name, value, meaning]) => [name, count(value), meaning]);
  const body = [
    table(["Cases", "Number", "Meaning"], "lrl", rows),
    `Samples: ${count(samples.total)} planned, ${count(samples.completed)} completed, ${count(samples.failed)} failed.`,
    ...leftOut(run.suite.not_selected),
  ];
  return single("case ledger", 4, details("What became of every case", body.join("\n\n")));
}

const drawn = "`max_samples`), the same in every run";
const byName = "`--case`, `--failed`)";

function leftOut(found: Run["suite"]["not_selected"]): readonly string[] {
  const cases = (found.cases ?? []).map(
    ({ task, selected, of, only }) =>
      `Of ${inlineCode(task)}, ${count(selected)} of ${count(of)} cases were selected (${only === undefined ? drawn : byName}; the others are neither run nor missing.`,
  );
  return [...cases, ...leftOutNames(found)];
}

function leftOutNames({ tasks, candidates }: Run["suite"]["not_selected"]): readonly string[] {
  const all = [...tasks, ...candidates];
  if (all.length === 0) return [];
  const more = all.length > 20 ? ` and ${all.length - 20} more` : "";
  const names = all.slice(0, 20).map((id) => inlineCode(id));
  return [`Not selected for this run: ${names.join(", ")}${more}.`];
}

/** The baseline, and the notes about finding it. */
export function baselineBlock(run: Run): Block {
  const { baseline } = run;
  const notes = baseline?.notes ?? [];
  return {
    name: "baseline notes",
    rank: 7,
    rows: notes.length,
    render: (shown) =>
      shown === 0
        ? ""
        : details(
            `About the baseline (${counted(notes.length, "note")})`,
            notes
              .slice(0, shown)
              .map((note) => `- ${beginLine(inlineText(note).trimStart())}`)
              .join("\n"),
          ),
  };
}

/** Commands that reproduce the figures. */
export function commandsBlock(run: Run, directories: Directories | undefined): Block {
  const pooled = run.baseline?.pool?.map(({ source }) => source);
  const bases = (pooled ?? [directories?.baseline ?? "BASE"]).map(shellWord);
  const chosen = chosenSamples(run);
  const options = [
    ...optionsToSelect(run),
    ...(chosen === undefined ? [] : [`--max-samples=${chosen}`]),
    ...(run.baseline === null ? [] : bases.map((base) => `--baseline=${base}`)),
    ...(run.shard ? [`--shard=${shardText(run.shard)}`] : []),
  ];
  const commands = [
    ["regrade run", ...whatToRun(run), ...options].join(" "),
    ...(run.baseline === null
      ? []
      : [`regrade compare ${bases.join(" ")} ${shellWord(directories?.run ?? "HEAD")}`]),
  ];
  const where =
    directories === undefined && run.baseline !== null
      ? "\n\n`BASE` and `HEAD` are the run directories of the two sides."
      : "";
  const body = fence(commands.join("\n"), "sh");
  return single("commands", 9, details("Do it again", `${body}${where}`));
}

/** Options that select the task and candidate that broke first; none if nothing broke. */
function optionsToSelect(run: Run): readonly string[] {
  const [broken] = changedGroups(run, "broke");
  if (broken === undefined) return [];
  const task = `--task=${shellWord(broken.rule.task)}`;
  // A rule against another candidate needs both candidates.
  return run.candidates.length > 1 && broken.rule.against === undefined
    ? [task, `--candidate=${shellWord(broken.rule.candidate)}`]
    : [task];
}

/** Empty, and therefore left out, if no grader asked a model. */
function judgeTokens({
  judge_input_tokens: input = 0,
  judge_output_tokens: output = 0,
}: Run["usage"]): string {
  return input + output === 0 ? "" : `${count(input)} in, ${count(output)} out`;
}

function costByPart({ usd: candidates, judge_usd: judges, unpriced }: Run["usage"]): string {
  const known = `${usd(candidates)} candidates, ${usd(judges)} judge`;
  return unpriced ? `${known}${andUnpriced}` : known;
}

/** Cost, time and the machine. */
export function environmentBlock(run: Run): Block {
  const { usage, timing, environment } = run;
  const rows = [
    ["Run", inlineCode(run.id)],
    ["Suite", `${inlineCode(run.suite.path)}, version ${inlineCode(run.suite.version)}`],
    ["Results", inlineText(resultsWords(run))],
    ["Commit", run.git.sha === null ? "" : inlineCode(run.git.sha)],
    ["Tasks", taskWords(run)],
    ["Candidates", candidateWords(run)],
    ["Judge model", run.judge_model === null ? "" : inlineCode(run.judge_model)],
    ["Embedding model", run.embedding_model === null ? "" : inlineCode(run.embedding_model)],
    ["Tokens", `${count(usage.input_tokens)} in, ${count(usage.output_tokens)} out`],
    ["Tokens of judges", judgeTokens(usage)],
    ["Cost", inlineText(costByPart(usage))],
    ["Answers from the cache", count(usage.cached)],
    ["Time", timeWords(timing)],
    ["Sandbox", inlineText(sandboxWords(run.sandbox))],
    ["Fence", inlineText(fenceWords(run))],
    ["Regrade", inlineText(environment.regrade)],
    [
      "Node, Python, system",
      inlineText([environment.node, environment.python ?? "no Python", environment.os].join(", ")),
    ],
  ].filter(([, value]) => value !== "");
  return single(
    "environment",
    10,
    details("Cost, time and environment", table(["What", "Value"], "ll", rows)),
  );
}

function candidateWords(run: Run): string {
  const words = run.candidates
    .slice(0, 20)
    .map(
      ({ id, kind, model }) =>
        `${inlineCode(id)} (${kind}${model === null ? "" : `, ${codeSpan(clip(model, 80))}`})`,
    );
  return words.join(", ");
}

/** The seconds of grading are not shown: they contain the time that answers wait for a free grader. */
function timeWords({ seconds, generate_seconds: generate }: Run["timing"]): string {
  return `${duration(seconds)} in all; ${duration(generate)} generating, summed over what ran side by side`;
}

/** A block that is shown whole or not at all. */
function single(name: string, rank: number, text: string): Block {
  return { name, rank, rows: 1, render: (rows) => (rows === 0 ? "" : text) };
}
