import type { Circumstances } from "../model/circumstances.ts";
import type { Run, RunBaseline } from "../model/outcomes/run.ts";
import { effortWords, isDearer } from "./words/effort.ts";
import { clip, codeSpan, link } from "./escape.ts";
import { formerWords, headlineOf, opening, shortest } from "./headline.ts";
import { costWords, count, counted, duration } from "./words/figures.ts";
import { inlineCode, inlineText } from "./markdown/layout.ts";
import { detectable } from "./words/rules.ts";

/** Start of every summary, in versions from full to one plain line, for the smallest space. */
export function heads(run: Run, circumstances?: Circumstances): readonly string[] {
  const headline = headlineOf(run, circumstances);
  return [
    opening(headline, { lines: true }),
    opening(headline, { lines: false }),
    shortest(headline),
  ];
}

/** The figures that are always shown: pairs, errors, missing, power, cost, time. */
export function factsLine(run: Run): string {
  const { cases, usage } = run;
  const compared =
    run.baseline === null
      ? `**${count(cases.declared)}** cases, none compared`
      : `**${count(cases.paired)}** paired cases`;
  const lead = run.gate.rules.find((rule) => rule.mde !== null);
  const detects = lead && detectable(run, lead);
  const effort = isDearer(run) ? undefined : effortWords(run);
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
    ...(effort === undefined ? [] : [`a case: ${inlineText(effort)}`]),
    ...(usage.cached === 0 ? [] : [`${counted(usage.cached, "answer")} from the cache`]),
    inlineText(costWords(usage)),
    duration(run.timing.seconds),
  ].join(" · ");
}

/** Parts that the user excluded on purpose, which are not judged. */
function notSelected({ suite }: Run): readonly string[] {
  const { tasks, candidates, cases = [] } = suite.not_selected;
  return [
    ...cases.map(
      ({ task, selected, of }) =>
        `${count(selected)} of ${count(of)} cases of ${inlineCode(task)} selected`,
    ),
    ...(tasks.length === 0 ? [] : [`${counted(tasks.length, "task")} not selected`]),
    ...(candidates.length === 0 ? [] : [`${counted(candidates.length, "candidate")} not selected`]),
  ];
}

/** Source of the figures before the arrow, with the reason why it was chosen. */
export function baselineLine(run: Run, circumstances?: Circumstances): string {
  const { baseline } = run;
  if (baseline === null) {
    const why = circumstances?.noBaseline;
    const reason = why === undefined ? "" : ` (${inlineText(why)})`;
    return `No baseline: nothing was compared with an earlier run${reason}.`;
  }
  const parts = [
    `Baseline: ${sourceWords(baseline)}`,
    ...(baseline.sha === null ? [] : [commitWords(baseline.sha, circumstances)]),
    ...(baseline.age_days === null ? [] : [ageWords(baseline.age_days)]),
    ...(baseline.distance === null ? [] : [distanceWords(baseline.distance)]),
  ];
  const { reason } = baseline;
  const why = typeof reason === "string" ? `; why this one: ${inlineText(reason)}` : "";
  return `${parts.join(", ")}${why}${notComparable(baseline.comparable)}`;
}

/** A workflow run is shown by its number and a link, a directory by its name. */
function sourceWords({ source, run_id: runId }: RunBaseline): string {
  const number = /\/actions\/runs\/(\d+)$/.exec(source)?.[1];
  if (number !== undefined) return link(`run ${number}`, source);
  return `${inlineText(source)}, run ${inlineCode(runId)}`;
}

function notComparable(comparable: Readonly<Record<string, boolean>>): string {
  const lost = Object.entries(comparable).filter(([, isComparable]) => !isComparable);
  if (lost.length === 0) return "";
  const names = lost.slice(0, 5).map(([task]) => inlineCode(task));
  const more = lost.length > names.length ? ` and ${lost.length - names.length} more` : "";
  return `. Not comparable: ${names.join(", ")}${more}`;
}

function commitWords(sha: string, circumstances: Circumstances | undefined): string {
  if (circumstances?.repositoryUrl === undefined)
    return `commit ${codeSpan(clip(sha, 12).slice(0, 12))}`;
  return `commit ${commitLink(sha, circumstances)}`;
}

/** A commit by its first seven digits, linked if the repository is known. */
function commitLink(sha: string, { repositoryUrl }: Circumstances): string {
  const isSha = /^[0-9a-f]{7,64}$/.test(sha);
  const url = repositoryUrl !== undefined && isSha ? `${repositoryUrl}/commit/${sha}` : undefined;
  return link(codeSpan(sha.slice(0, 7)), url);
}

function ageWords(days: number): string {
  return days < 1 ? "less than a day old" : `${counted(Math.round(days), "day")} old`;
}

function distanceWords(commits: number): string {
  return commits === 0 ? "at the base commit" : `${counted(commits, "commit")} before the base`;
}

/** Links to the full report, the sources of the run, and the previous verdict. */
export function footer(circumstances: Circumstances): string {
  const { runId, attempt, sha, runUrl, artifactUrl, reportUrl, isUploading, previous } =
    circumstances;
  const { judgedAgainst: base } = circumstances;
  const tries = attempt > 1 ? `, attempt ${attempt}` : "";
  const parts = [
    `commit ${commitLink(sha, circumstances)}${base === undefined ? "" : ` against ${inlineCode(base)}`}`,
    `${link(`run ${runId}`, runUrl)}${tries}`,
    ...(reportUrl === undefined ? [] : [link("report", reportUrl)]),
    ...(artifactUrl === undefined ? [] : [link("artifact", artifactUrl)]),
    ...(isUploading === true ? ["artifact still uploading: look on the run's page"] : []),
    ...(previous === undefined || previous.sha === sha
      ? []
      : [
          `updated in place; at ${commitLink(previous.sha, circumstances)} ${formerWords[previous.verdict]}`,
        ]),
  ];
  return `<sub>${parts.join(" · ")}</sub>`;
}
