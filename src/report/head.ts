import type { Run } from "../domain/run.ts";
import { codeSpan, clip } from "./escape.ts";
import { costWords, count, counted, duration } from "./figures.ts";
import { dressed, named, said } from "./layout.ts";
import { detectable } from "./rule-words.ts";
import { verdictWords, type Tone } from "./verdict-words.ts";

interface Look {
  readonly alert: "CAUTION" | "WARNING" | "NOTE" | "TIP";
  readonly mark: string;
}

const looks: Readonly<Record<Tone, Look>> = {
  pass: { alert: "TIP", mark: "🟢" },
  grey: { alert: "NOTE", mark: "⚪" },
  fail: { alert: "CAUTION", mark: "🔴" },
  inconclusive: { alert: "WARNING", mark: "⚪" },
  error: { alert: "WARNING", mark: "🟠" },
  neutral: { alert: "NOTE", mark: "🔵" },
  ungated: { alert: "NOTE", mark: "🔵" },
  cancelled: { alert: "WARNING", mark: "⚫" },
};

/** What every summary begins with, from full to one plain line, for the smallest of spaces. */
export function heads(run: Run): readonly string[] {
  const words = verdictWords(run);
  const { alert, mark } = looks[words.tone];
  const title = `**${mark} ${words.title} — ${said(clip(run.suite.name, 80))}:**`;
  const first = `> [!${alert}]\n> ${title} ${dressed(words.sentence)}`;
  const lines = words.lines.map((line) => `> - ${dressed(line)}`);
  const alerted = lines.length === 0 ? first : [first, ">", ...lines].join("\n");
  return [[alerted, factsLine(run), baselineLine(run)].join("\n\n"), first, `${words.title}.`];
}

/** The figures that are always shown: pairs, errors, missing, power, cost, time. */
function factsLine(run: Run): string {
  const { cases, usage } = run;
  const compared =
    run.baseline === null
      ? `**${count(cases.declared)}** cases, none compared`
      : `**${count(cases.paired)}** paired cases`;
  const lead = run.gate.rules.find((rule) => rule.mde !== null);
  const detects = lead && detectable(run, lead);
  return [
    compared,
    `**${count(cases.failed)}** failed`,
    `**${count(cases.invalid)}** invalid`,
    `**${count(cases.ungraded)}** ungraded`,
    ...(run.baseline === null
      ? []
      : [`**${count(cases.new)}** new`, `**${count(cases.missing)}** missing`]),
    ...notSelected(run),
    ...(detects === undefined ? [] : [detects]),
    ...(usage.cached === 0 ? [] : [`${counted(usage.cached, "answer")} from the cache`]),
    said(costWords(usage)),
    duration(run.timing.seconds),
  ].join(" · ");
}

/** What the user left out on purpose: part of the suite is then not judged. */
function notSelected({ suite }: Run): readonly string[] {
  const { tasks, candidates } = suite.not_selected;
  return [
    ...(tasks.length === 0 ? [] : [`${counted(tasks.length, "task")} not selected`]),
    ...(candidates.length === 0 ? [] : [`${counted(candidates.length, "candidate")} not selected`]),
  ];
}

/** Where the figures before the arrow come from. */
export function baselineLine(run: Run): string {
  const { baseline } = run;
  if (baseline === null) return "No baseline: nothing was compared with an earlier run.";
  const parts = [
    `Baseline: ${said(baseline.source)}`,
    `run ${named(baseline.run_id)}`,
    ...(baseline.sha === null ? [] : [`commit ${codeSpan(clip(baseline.sha, 12).slice(0, 12))}`]),
    ...(baseline.age_days === null ? [] : [ageWords(baseline.age_days)]),
    ...(baseline.distance === null ? [] : [distanceWords(baseline.distance)]),
  ];
  const lost = Object.entries(baseline.comparable).filter(([, comparable]) => !comparable);
  const names = lost.slice(0, 5).map(([task]) => named(task));
  const more = lost.length > names.length ? ` and ${lost.length - names.length} more` : "";
  const warning = lost.length === 0 ? "" : `. Not comparable: ${names.join(", ")}${more}`;
  return `${parts.join(", ")}${warning}`;
}

function ageWords(days: number): string {
  return days < 1 ? "less than a day old" : `${counted(Math.round(days), "day")} old`;
}

function distanceWords(commits: number): string {
  return commits === 0 ? "at the base commit" : `${counted(commits, "commit")} before the base`;
}
