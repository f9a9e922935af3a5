import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ToldField } from "../model/policy.ts";
import type { OpenWatch } from "../model/processes.ts";
import type { OpenedSuite } from "../suite/policy/open.ts";
import { toldChange } from "../suite/policy/changes.ts";
import type { AnswerFiles } from "../suite/policy/answers/answer-files.ts";
import { dataNames, openableData } from "../suite/policy/programs/opened-answers.ts";
import type { Tools } from "../tools.ts";
import type { Executed } from "./execute.ts";

interface Watched {
  readonly opened: OpenedSuite;
  readonly inCi: boolean;
  /** The run's own directory, whose journals are encrypted: it is not watched. */
  readonly directory: string;
  /** Places where other runs may be, beside those around the directory. */
  readonly runs: readonly string[];
  /** The same in each call for a run: what is edited between two of them is found, too. */
  readonly judges: () => Promise<StampedJudges>;
}

/** The files that judge, as they were before candidates were asked. */
interface StampedJudges {
  /** Those that were edited, added or removed since, with whose they are. */
  readonly altered: () => Promise<readonly string[]>;
}

/**
 * Runs candidates while their data sets and the texts of other runs are watched, and returns the suite with what was seen.
 * `run` calls its parameter when no candidate is asked any more: then Regrade may open the files itself.
 */
export async function whileWatched<T extends Pick<Executed, "draft" | "baseline">>(
  { opened, inCi, directory, runs, judges }: Watched,
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
  if (watch === undefined || more === undefined)
    return { result: await run(async () => undefined), opened };
  const stamped = await judges();
  const watching = (await tools.watchOpens({ ...watch, paths, more })) ?? watchesNothing;
  try {
    const result = await run(watching.end);
    const { baseline } = result;
    const known = baseline.kind === "run" ? (baseline.stored.run.opened ?? []) : [];
    const edited = await stamped.altered();
    const seen = await watch.explain(await watching.end(), { inCi, copies, known, edited });
    return { result, opened: withOpenings(opened, seen) };
  } finally {
    await watching.end();
  }
}

const ours = "Regrade";
/** Python writes compiled modules of ours there when they are first imported. */
const compiled = "__pycache__";

/** Remembers the files that judge: those of the base's checkout, and Regrade's own. */
export async function stampJudges(
  checkout: string | undefined,
  { stampTree, ownFolders }: Pick<Tools, "stampTree" | "ownFolders">,
): Promise<StampedJudges> {
  const own = ownFolders.map((folder) => [folder, ours] as const);
  const all = checkout === undefined ? own : [[checkout, "the base's checkout"] as const, ...own];
  const stamps = await Promise.all(
    all.map(async ([folder, whose]) => ({ tree: await stampTree(folder), whose })),
  );
  return {
    altered: async () => {
      const found = stamps.map(async ({ tree, whose }) =>
        (await tree.altered())
          .filter(({ path, isNew }) => !(isNew && whose === ours && path.includes(compiled)))
          .map(({ path }) => `${path} (${whose})`),
      );
      return (await Promise.all(found)).flat();
    },
  };
}

const watchesNothing: OpenWatch = { end: async () => ({ opened: [], isWhole: true }) };

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
    // A drop that is run again is watched again.
    const names = new Set([...(result.draft.opened ?? []), ...dataNames(paths, suite)]);
    const draft = { ...result.draft, opened: [...names] };
    return { result: { ...result, draft }, opened };
  } finally {
    await watching.end();
  }
}

/** A suite whose policy holds what was seen while its candidates ran. */
export function withOpenings(opened: OpenedSuite, { told, notes }: AnswerFiles): OpenedSuite {
  const { policy } = opened;
  if (policy === undefined || told.length + notes.length === 0) return opened;
  const before = policy.told ?? [];
  // Candidates are watched again when they are asked again.
  const fresh = told.filter((each) => !before.some((known) => isDeepStrictEqual(known, each)));
  const others = notes.filter(
    (each) => !policy.changed.some((known) => isDeepStrictEqual(known, each)),
  );
  const changed = [...policy.changed, ...others, ...fresh.map(toldChange)];
  const all = [...before, ...fresh];
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
  return reader === "opened" || reader === "edited";
}
