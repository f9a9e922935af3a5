import { dirname } from "node:path";
import type { ToldField } from "../model/policy.ts";
import type { OpenedSuite } from "../suite/policy/open.ts";
import { toldChange } from "../suite/policy/changes.ts";
import type { AnswerFiles } from "../suite/policy/answer-files.ts";
import { dataNames, openableData } from "../suite/policy/opened-answers.ts";
import type { Tools } from "../tools.ts";
import type { Executed } from "./execute.ts";

interface Watched {
  readonly opened: OpenedSuite;
  readonly inCi: boolean;
  /** The run's own directory, whose journals are encrypted: it is not watched. */
  readonly directory: string;
  /** Places where other runs may be, beside those around the directory. */
  readonly runs: readonly string[];
}

/**
 * Runs candidates while their data sets and the texts of other runs are watched, and returns the suite with what was seen.
 * `run` calls its parameter when no candidate is asked any more: then Regrade may open the files itself.
 */
export async function whileWatched<T extends Pick<Executed, "draft" | "baseline">>(
  { opened, inCi, directory, runs }: Watched,
  run: (onAsked: () => Promise<unknown>) => Promise<T>,
  tools: Pick<Tools, "watchOpens" | "findRunTexts" | "findOwnRuns">,
): Promise<{ readonly result: T; readonly opened: OpenedSuite }> {
  const { watch } = opened;
  if (inCi && opened.policy === undefined) return recordOpenings(opened, run, tools);
  const more =
    watch &&
    (await tools.findRunTexts(
      [...runs, ...watch.baselines, dirname(directory), (await tools.findOwnRuns()).folder],
      directory,
    ));
  const tasks = [opened.prepared, opened.own].flatMap((each) => each?.tasks ?? []);
  const copies = tasks.flatMap((task) => task.files?.copies ?? []);
  const paths = [...(watch?.paths ?? []), ...copies.map(({ absolute }) => absolute)];
  const watching = watch && more && (await tools.watchOpens({ ...watch, paths, more }));
  if (watch === undefined || watching === undefined)
    return { result: await run(async () => undefined), opened };
  try {
    const result = await run(watching.end);
    const { baseline } = result;
    const known = baseline.kind === "run" ? (baseline.stored.run.opened ?? []) : [];
    const seen = await watch.explain(await watching.end(), { inCi, copies, known });
    return { result, opened: withOpenings(opened, seen) };
  } finally {
    await watching.end();
  }
}

/** Runs the candidates of a branch's run, which tells later changes which data sets its own programs open. */
async function recordOpenings<T extends Pick<Executed, "draft">>(
  opened: OpenedSuite,
  run: (onAsked: () => Promise<unknown>) => Promise<T>,
  { watchOpens }: Pick<Tools, "watchOpens">,
): Promise<{ readonly result: T; readonly opened: OpenedSuite }> {
  const { suite, recorded } = opened.prepared;
  const files = recorded === undefined ? openableData(suite) : undefined;
  const watching = files && (await watchOpens(files));
  if (watching === undefined) return { result: await run(async () => undefined), opened };
  try {
    const result = await run(watching.end);
    const { opened: paths } = await watching.end();
    if (paths.length === 0) return { result, opened };
    const draft = { ...result.draft, opened: dataNames(paths, suite) };
    return { result: { ...result, draft }, opened };
  } finally {
    await watching.end();
  }
}

/** A suite whose policy holds what was seen while its candidates ran. */
export function withOpenings(opened: OpenedSuite, { told, notes }: AnswerFiles): OpenedSuite {
  const { policy } = opened;
  if (policy === undefined || told.length + notes.length === 0) return opened;
  const changed = [...policy.changed, ...notes, ...told.map(toldChange)];
  const all = [...(policy.told ?? []), ...told];
  return { ...opened, policy: { ...policy, changed, ...(all.length > 0 && { told: all }) } };
}

/** Openings that shards saw, each once. */
export function openingsOf(
  shards: readonly {
    readonly run: { readonly policy?: { readonly told?: readonly ToldField[] } };
  }[],
): AnswerFiles {
  const all = shards.flatMap(({ run }) => (run.policy?.told ?? []).filter(isOpening));
  const told = new Map(all.map((each) => [`${each.task}\n${each.field}`, each]));
  return { told: [...told.values()], notes: [] };
}

/** Whether it was found while candidates ran. */
export function isOpening({ reader }: ToldField): boolean {
  return reader === "opened";
}
