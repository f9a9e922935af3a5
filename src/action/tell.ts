import { join } from "node:path";
import { concludeStep, type Conclusion } from "../platform/conclusion.ts";
import type { Settings } from "../platform/inputs.ts";
import { noteOf, type Log } from "../platform/log.ts";
import { makeOutputs, writeOutputs, type OutputSource } from "../platform/outputs.ts";
import { describeRefusal } from "../platform/refused.ts";
import { writeSummary } from "../platform/summary.ts";
import { tellConclusion } from "../platform/tell.ts";
import { saveSummary } from "../platform/workspace.ts";
import { renderSection } from "../report/comment.ts";
import { codeSpan, escapeMarkdown } from "../report/escape.ts";
import { uploadRuns } from "./artifacts.ts";
import type { Checks } from "./checks.ts";
import { circumstancesOf } from "./circumstances.ts";
import { viewOf, type StepEnd } from "./ends.ts";
import { publish } from "./publish.ts";
import type { Office, Step } from "./step.ts";

export interface Report {
  readonly settings: Pick<Settings, "failOn" | "comment" | "retentionDays">;
  readonly ends: readonly StepEnd[];
  /** Holds every run. */
  readonly folder: string;
  readonly office: Office;
  readonly checks: Checks;
  /** The pull request to comment on; undefined: none. */
  readonly pull: number | undefined;
}

/**
 * Tells how the suites ended: summary, artifacts, comment, checks, outputs; gives back the step's exit code. Nothing in
 * here can change the verdict: what fails on the way is a warning.
 */
export async function tellAll(report: Report, step: Step): Promise<number> {
  const { ends, folder, settings } = report;
  const { failOn, comment } = settings;
  const summaryPath = await tellSummary(report, step);
  const ids = await uploadRuns(ends, settings, step);
  const all = ends.map((end) => ({ end, artifactId: ids.get(end) }));
  const urls = await publish(all, { ...report, comment, failOn }, step);
  const conclusion = concludeStep(ends, { failOn, cancelled: step.signal.aborted });
  const artifactIds = [...ids.values()];
  tellOutputs({ ...urls, conclusion, ends, runPath: folder, summaryPath, artifactIds }, step);
  tellConclusion(conclusion, failOn, step.log);
  return conclusion.stepCode;
}

async function tellSummary({ ends, folder }: Report, step: Step): Promise<string> {
  const { env, log } = step;
  const texts = ends.map((end) => summaryOf(end, step));
  for (const found of await writeSummary(env, texts)) log.warning(noteOf(found));
  const [first] = ends;
  if (ends.length === 1 && first?.kind === "finished") return join(first.directory, "summary.md");
  const { path, problems } = await saveSummary(folder, texts);
  for (const found of problems) log.warning(noteOf(found));
  return path;
}

/** The summary of one suite, whatever became of it. */
export function summaryOf(end: StepEnd, { secrets, context }: Step): string {
  switch (end.kind) {
    case "finished":
      return secrets.redact(end.summary);
    case "not_run": {
      const known = { artifactId: undefined, workspace: "" };
      const view = viewOf(end, circumstancesOf(end, context, known));
      return secrets.redact(renderSection(view)(summaryBytes));
    }
    case "refused": {
      const words = { text: escapeMarkdown, code: codeSpan };
      return secrets.redact(describeRefusal(end.manifest, end.problems, words));
    }
  }
}

const summaryBytes = 100_000;

/** Writes the step's outputs; what can't be written is said. */
export function tellOutputs(
  source: OutputSource,
  { log, env }: { readonly log: Log; readonly env: Step["env"] },
): void {
  const { values, problems } = makeOutputs(source);
  for (const found of [...problems, ...writeOutputs(env, values)]) log.warning(noteOf(found));
}

/** Outputs of a step that judged nothing. */
export function tellNothing(
  conclusion: Conclusion,
  ends: readonly StepEnd[],
  where: Pick<Step, "log" | "env">,
): void {
  const nowhere = { runPath: "", summaryPath: "", artifactIds: [], commentUrl: "", checkUrls: [] };
  tellOutputs({ conclusion, ends, ...nowhere }, where);
}
