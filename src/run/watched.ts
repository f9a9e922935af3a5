import { dirname } from "node:path";
import { once } from "../base/once.ts";
import type { ToldField } from "../model/outcomes/policy.ts";
import type { OpenWatch } from "../model/ports/processes.ts";
import type { OpenedSuite } from "../suite/policy/open.ts";
import { toldChange } from "../suite/policy/changes.ts";
import type { AnswerFiles } from "../suite/policy/answers/answer-files.ts";
import {
  dataNames,
  mayOpenFiles,
  openableData,
  withEdited,
} from "../suite/policy/programs/opened-answers.ts";
import type { AnswerWatch } from "../suite/policy/programs/opened-answers.ts";
import type { Tools } from "../tools.ts";
import type { Executed } from "./execute.ts";
import type { JudgingFiles } from "./judging-files.ts";

interface Watched {
  readonly opened: OpenedSuite;
  readonly inCi: boolean;
  /** The run's own directory, whose journals are encrypted: it is not watched. */
  readonly directory: string;
  /** Places where other runs may be, beside those around the directory. */
  readonly runs: readonly string[];
  readonly judging: JudgingFiles;
}

type WatchTools = Pick<Tools, "watchOpens" | "findRunTexts" | "findOwnRuns">;

/** Sees what is opened while candidates run, and between the times when they do. */
export interface CandidateWatch {
  /** Runs candidates. `ask` calls its parameter when none is asked any more: then Regrade may open the files itself. */
  readonly whileAsked: <T extends Pick<Executed, "draft" | "baseline">>(
    ask: (onAsked: () => Promise<unknown>) => Promise<T>,
  ) => Promise<T>;
  /** Ends the watch. The suite then has what was seen. */
  readonly end: () => Promise<OpenedSuite>;
}

/**
 * Watches data sets and the texts of other runs while candidates run. The data sets are watched from the first question to
 * the end: a process that a candidate left behind may open them before the next round asks.
 */
export function watchCandidates(
  { opened, inCi, directory, runs, judging }: Watched,
  tools: WatchTools,
): CandidateWatch {
  const { watch } = opened;
  let known: readonly string[] = [];
  let watching: OpenWatch | undefined;
  let isUnwatched = false;
  const tasks = [opened.prepared, opened.own].flatMap((each) => each?.tasks ?? []);
  const copies = tasks.flatMap((task) => task.files?.copies ?? []);
  const asksPrograms = [opened.prepared, opened.own].some(
    (each) => each !== undefined && mayOpenFiles(each.suite.candidates),
  );
  const begin = async ({ baselines, quoting, ...files }: AnswerWatch): Promise<OpenWatch> => {
    const own = (await tools.findOwnRuns()).folder;
    const around = [...runs, ...baselines, dirname(directory), own];
    const more = await tools.findRunTexts(around, directory);
    await watching?.resume(more);
    const paths = [...files.paths, ...copies.map(({ absolute }) => absolute)];
    if (watching !== undefined) return watching;
    const begun = await tools.watchOpens({ ...files, paths, always: quoting, more });
    if (begun !== undefined && begun !== "failed") return begun;
    isUnwatched = begun === "failed" || quoting.length > 0;
    return watchesNothing;
  };
  return {
    whileAsked: async (ask) => {
      if (inCi && opened.policy === undefined) return recordOpenings(opened, ask, tools);
      if (opened.policy !== undefined && asksPrograms) await judging.remember();
      if (watch === undefined) return ask(async () => undefined);
      watching = await begin(watch);
      const rest = once(watching.rest);
      const result = await ask(rest);
      await rest();
      const { baseline } = result;
      if (baseline.kind === "run") known = baseline.stored.run.opened ?? [];
      return result;
    },
    end: once(async () => {
      const end = await watching?.end();
      if (opened.policy === undefined) return opened;
      const around = { inCi, copies, known, isUnwatched };
      const nothing = { told: [], notes: [] };
      const seen = watch && end ? await watch.explain(end, around) : nothing;
      // Those of a suite that no program answers may have been edited by the program of an earlier one.
      const edited = await judging.altered();
      return withOpenings(opened, withEdited(seen, opened.prepared.suite, { edited, inCi }));
    }),
  };
}

const watchesNothing: OpenWatch = {
  rest: async () => undefined,
  resume: async () => undefined,
  end: async () => ({ opened: [], isWhole: true }),
};

/** Runs the candidates of a branch's run, which tells later changes which data sets its own programs open. */
async function recordOpenings<T extends Pick<Executed, "draft">>(
  { prepared }: OpenedSuite,
  run: (onAsked: () => Promise<unknown>) => Promise<T>,
  { watchOpens }: Pick<Tools, "watchOpens">,
): Promise<T> {
  const { suite, recorded } = prepared;
  const files = recorded === undefined ? openableData(suite) : undefined;
  const watching = files && (await watchOpens(files));
  if (watching === undefined || watching === "failed") return await run(async () => undefined);
  try {
    const result = await run(watching.end);
    const { opened: paths } = await watching.end();
    if (paths.length === 0) return result;
    // A drop that is run again is watched again.
    const names = new Set([...(result.draft.opened ?? []), ...dataNames(paths, suite)]);
    return { ...result, draft: { ...result.draft, opened: [...names] } };
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
  return reader === "opened" || reader === "edited";
}
