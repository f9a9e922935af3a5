import { dirname, join, resolve } from "node:path";
import type { BaselineFinder, CiContext, NoBaseline, SoughtSuite } from "../model/baseline.ts";
import type { BaseTree } from "../model/outcomes/policy.ts";
import { problem, Refusal, type Problem } from "../model/refusal.ts";
import type { StoredRun } from "../model/ports/store.ts";
import type { BaselineSpec } from "../model/definition/gate.ts";
import type { Baseline } from "./conclude.ts";
import { findNamed, ofSuite, readOfBase } from "./named-baseline.ts";
import { readNamed, readPooled } from "./pool/read.ts";
import { readBaseline } from "./read-baseline.ts";
import { lackingAmong, runOfSuite } from "./suite-folder.ts";
import type { Prepared } from "../suite/prepare.ts";
import type { Tools } from "../tools.ts";

/**
 * Finds the run to compare with. The flag or input takes precedence over the manifest. `none` is a choice; a named
 * baseline that can't be read is a Refusal, never "no baseline".
 */
export async function findBaseline(
  request: BaselineRequest,
  prepared: Prepared,
  tools: Tools,
): Promise<LocatedBaseline> {
  const named = [request.baseline ?? []].flat();
  const isNone = named.length === 1 && named[0] === "none";
  if (isNone) return { kind: "none", reason: "none was asked for" };
  const { gate } = prepared.suite;
  const declared = gate === "none" ? {} : (gate.baseline ?? {});
  const [first, ...others] = named.filter((each) => each !== "auto");
  const found =
    first === undefined
      ? await lookFor(request, prepared, { declared, tools })
      : await readWhereAmong([first, ...others], { request, prepared }, tools);
  const kept =
    found.kind === "run" ? unlessTooOld(found, declared.max_age_days, tools.now()) : found;
  const mayRunBase = first === undefined && declared.fallback === "rerun";
  return mayRunBase && kept.kind === "none" ? orBase(kept, request) : kept;
}

/** As `readAllNamed`. A folder with the runs of other suites of the same command or step may lack a new suite's. */
async function readWhereAmong(
  named: readonly [string, ...string[]],
  asked: Parameters<typeof readAllNamed>[1],
  tools: Tools,
): Promise<Baseline> {
  try {
    return await readAllNamed(named, asked, tools);
  } catch (error) {
    if (!isRefusal(error, "run_missing")) throw error;
    const { request, prepared } = asked;
    const around = { ...request, suite: prepared.suite };
    const none = await lackingAmong(named, around, tools);
    if (none === undefined) throw error;
    return none;
  }
}

/** Reads the runs that the flag or input names; if a base judges, as its tree has them. */
async function readAllNamed(
  named: readonly [string, ...string[]],
  {
    request: { policyFrom },
    prepared: { suite },
  }: { readonly request: BaselineRequest; readonly prepared: Prepared },
  tools: Tools,
): Promise<Baseline> {
  if (policyFrom === undefined) {
    const [one, ...more] = named;
    const runOf = (path: string): Promise<string> => runOfSuite(path, suite.name, tools);
    return readNamed([await runOf(one), ...(await Promise.all(more.map(runOf)))], tools);
  }
  const [first, ...others] = await findNamed(named, { tree: policyFrom, suite }, tools);
  if (first === undefined) throw new RangeError("one is named");
  return readOfBase([first, ...others], policyFrom, tools);
}

/** The base, to be run in this job, if there is one; otherwise the reason why there is no baseline. */
function orBase(none: NoBaseline, { policyFrom }: BaselineRequest): LocatedBaseline {
  return policyFrom === undefined ? none : { kind: "rerun", policyFrom, because: none.reason };
}

export interface BaselineRequest {
  /**
   * A run directory, several pooled ones, or `none`. With `auto` or undefined the manifest decides; without a decision
   * there, one is searched for.
   */
  readonly baseline: string | readonly string[] | undefined;
  readonly policyFrom?: BaseTree | undefined;
  /** Names of all suites of the command or step. */
  readonly together?: readonly string[] | undefined;
  readonly ci?: CiContext | undefined;
  readonly baseInputs?: (() => Promise<string | undefined>) | undefined;
  /** Identity of the earlier run's suite, if earlier runs can be searched for. */
  readonly sought?: SoughtSuite | undefined;
}

/** A baseline, or a base from which one is made in this job. */
export type LocatedBaseline =
  | Baseline
  | {
      readonly kind: "rerun";
      readonly policyFrom: BaseTree;
      /** Why no earlier run can be used, if one was searched for. */
      readonly because?: string;
    };

interface At {
  readonly declared: BaselineSpec;
  readonly tools: Tools;
}

async function lookFor(
  request: BaselineRequest,
  prepared: Prepared,
  { declared, tools }: At,
): Promise<LocatedBaseline> {
  if (declared.path !== undefined)
    return readDeclared(declared.path, prepared, { policyFrom: request.policyFrom, tools });
  if (declared.from === "rerun") return baseToRun(request, prepared);
  const { ci, sought } = request;
  if (ci?.baselines === undefined || sought === undefined)
    return noneToLookFor(request, prepared, declared);
  void tools.expectRun();
  const baseInputs = request.baseInputs ?? (async () => undefined);
  const asked = { ...prepared, baseInputs, sought, maxAgeDays: declared.max_age_days };
  return declared.from === "pooled"
    ? pooledFrom(ci.baselines, asked, tools)
    : newestFrom(ci.baselines, asked);
}

/**
 * The result if there are no earlier runs to search: an explicit request is refused in CI and reported elsewhere;
 * without a request there is simply no baseline.
 */
function noneToLookFor(
  { baseline, ci }: BaselineRequest,
  { place }: Prepared,
  declared: BaselineSpec,
): NoBaseline {
  const isAsked = baseline === "auto" || declared.from !== undefined;
  if (ci?.noBaselines === undefined) {
    const reason = "it is looked for on GitHub only: name a run directory";
    return { kind: "none", reason: isAsked ? reason : "none was named" };
  }
  if (!isAsked) return { kind: "none", reason: ci.noBaselines };
  const where = baseline === "auto" ? undefined : place(["gate", "baseline", "from"]);
  throw new Refusal(problem("baseline_not_here", { reason: ci.noBaselines }, where));
}

/** The base to run for comparison. Without one (a push to the base branch) there is nothing to compare with. */
function baseToRun({ policyFrom, ci }: BaselineRequest, { place }: Prepared): LocatedBaseline {
  if (policyFrom !== undefined) return { kind: "rerun", policyFrom };
  if (ci !== undefined) return { kind: "none", reason: "this event has no base to run" };
  throw new Refusal(problem("rerun_without_base", undefined, place(["gate", "baseline", "from"])));
}

interface Asked extends Prepared {
  readonly baseInputs: () => Promise<string | undefined>;
  readonly sought: SoughtSuite;
  readonly maxAgeDays: number | undefined;
}

async function newestFrom(
  context: BaselineFinder,
  { sought, maxAgeDays, baseInputs }: Asked,
): Promise<Baseline> {
  const found = await context.find({ ...sought, maxAgeDays, baseInputs });
  if (found.kind === "none") return found;
  const { source, stored, sha, distance, reason } = found;
  return { kind: "run", source, stored, found: { sha, distance, reason } };
}

/** Number of runs that are pooled. */
const pooledRuns = 5;

async function pooledFrom(
  context: BaselineFinder,
  { sought, inputHash, baseInputs }: Asked,
  tools: At["tools"],
): Promise<Baseline> {
  const inputs = (await baseInputs()) ?? inputHash;
  const asked = { ...sought, inputHash: inputs, most: pooledRuns };
  const { directories, reason, remedy } = await context.findPooled(asked);
  const [first, ...others] = directories.map((directory) => ({ source: directory, directory }));
  if (first !== undefined) return readPooled([first, ...others], tools);
  return { kind: "none", reason, remedy };
}

const millisecondsPerDay = 86_400_000;

function unlessTooOld(
  found: Baseline & { readonly kind: "run" },
  most: number | undefined,
  now: number,
): Baseline {
  const days = (now - Date.parse(found.stored.run.completed_at)) / millisecondsPerDay;
  if (most === undefined || !(days > most)) return found;
  const age = `${found.source} is ${Math.floor(days)} days old`;
  const reason = `${age}, and \`gate.baseline.max_age_days\` is ${most}`;
  return { kind: "none", reason, remedy: "Run the base again and compare with that run." };
}

async function readDeclared(
  declared: string,
  { suite, place, policyDirectory }: Prepared,
  { policyFrom, tools }: { readonly policyFrom: BaseTree | undefined; readonly tools: Tools },
): Promise<Baseline> {
  // The path as the user would type it in the folder where the suite was started, so that it can be found again.
  const source = join(dirname(suite.path), declared);
  const here = resolve(suite.directory, declared);
  try {
    if (policyDirectory === undefined || policyFrom === undefined)
      return await readDirectory({ source, here }, suite.name, tools);
    const there = resolve(policyDirectory, declared);
    const named = await ofSuite({ source, here, there }, suite.name, tools);
    return await readOfBase([named], policyFrom, tools);
  } catch (error) {
    if (!isRefusal(error, "run_missing")) throw error;
    const { kind } = await tools.files.inspectPath(here);
    const isTaken = kind === "directory" && !(await tools.files.isEmptyFolder(here));
    // If the folder is not empty, a run of this suite needs a folder of its own in it.
    const path = isTaken ? join(source, suite.name) : source;
    const found = { suite: suite.path, path };
    const where = place(["gate", "baseline", "path"]);
    throw new Refusal(problem("baseline_missing", found, where), { cause: error });
  }
}

async function readDirectory(
  { source, here }: { readonly source: string; readonly here: string },
  suite: string,
  tools: Tools,
): Promise<Baseline> {
  const named = await ofSuite({ source, here, there: undefined }, suite, tools);
  return readBaseline(named.source, named.here, tools);
}

/** Like findBaseline, for checks only: a declared baseline that does not exist yet is a warning. */
export async function checkBaseline(
  request: BaselineRequest,
  prepared: Prepared,
  tools: Tools,
): Promise<readonly Problem[]> {
  const { gate } = prepared.suite;
  const isNamed = request.baseline !== undefined || (gate !== "none" && gate.baseline?.path);
  // Only a run needs the base or earlier runs, so a check ignores both.
  if (!isNamed) return [];
  try {
    await findBaseline(request, prepared, tools);
    return [];
  } catch (error) {
    if (isRefusal(error, "baseline_missing")) return error.problems;
    throw error;
  }
}

function isRefusal(error: unknown, code: Problem["code"]): error is Refusal {
  return error instanceof Refusal && error.problems.some((each) => each.code === code);
}

/** The directory or artifact with the baseline's texts, for a summary. */
export interface BaselineSource extends Pick<StoredRun, "directory" | "fetchTexts"> {
  /** The path, or the page, for people. */
  readonly shown: string;
}

/** undefined: there is no baseline. */
export function baselineSource(baseline: Baseline): BaselineSource | undefined {
  if (baseline.kind === "none") return undefined;
  const { directory, fetchTexts } = baseline.stored;
  return { directory, fetchTexts, shown: baseline.source };
}
