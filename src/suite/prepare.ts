import { isAggregate, singleGraders } from "../model/definition/graders.ts";
import { createTrafficControl, type TrafficControl } from "../candidate/resilience/traffic.ts";
import type { JsonObject } from "../model/json.ts";
import type { Candidate } from "../model/models/candidate.ts";
import { isRecorded } from "../model/definition/recorded.ts";
import { problem, Refusal, type Problem } from "../model/refusal.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { RunShard, ShardChoice } from "../model/outcomes/shard.ts";
import type { Suite } from "../model/definition/suite.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import { inputHash, suiteVersion } from "../manifest/fingerprint.ts";
import { withChoices, type RunChoices } from "./selection/choices.ts";
import { priceProblems, budgetProblems } from "./budget-problems.ts";
import {
  modelsNamed,
  openGraderModels,
  type GraderModelAccess,
  namedModelProblems,
} from "./grader-models.ts";
import { openAll, refuse, type OpenedTasks, type ToOpen } from "./opening/open-all.ts";
import type { PreparedTask } from "./opening/open-task.ts";
import { shardShare } from "./selection/share.ts";
import { prepareResults, type RecordedRun } from "./imported/prepare.ts";
import type { ResultsAsked } from "../model/results.ts";
import { suiteOfResults } from "./imported/suite.ts";
import { comparedProblems } from "./compared.ts";
import { refuseForeign } from "./foreign-recordings.ts";
import { withCases } from "./selection/only-cases.ts";
import { pythonSoon } from "./opening/python-soon.ts";
import { secretNames } from "./secret-names.ts";
import { select } from "./selection/select.ts";
import type { Tools } from "../tools.ts";
import type { PythonTools } from "../model/ports/programs.ts";
import { warningsHere, voidCalibrations, endsOfModels } from "./warnings.ts";
import { readingOf, readManifest, type Resolved } from "./read-manifest.ts";
import { judgeSettings } from "./judge-settings.ts";

/** Hashes that identify equal runs of a suite. */
export interface SuiteIdentity {
  readonly version: string;
  readonly inputHash: string;
}

/** A suite that is ready to run: everything that can be wrong before the first sample has been checked. */
export interface Prepared extends SuiteIdentity {
  readonly suite: Suite;
  /** Absolute folder of the policy's manifest, if it belongs to another tree: its baseline is looked up there first. */
  readonly policyDirectory: string | undefined;
  /** Position of a part of the suite in the manifest. */
  readonly place: Resolved["place"];
  readonly tasks: readonly PreparedTask[];
  readonly candidates: readonly Candidate[];
  /** Specifications of the candidates, in the same order. */
  readonly candidateSpecs: readonly CandidateSpec[];
  readonly traffic: TrafficControl;
  /** Lets graders ask models, for this run. */
  readonly startModels: GraderModelAccess["start"];
  readonly notSelected: Run["suite"]["not_selected"];
  /** The shard's part of the plan; undefined: the whole plan. */
  readonly shard: RunShard | undefined;
  /** null if no Python was needed. */
  readonly pythonVersion: string | null;
  readonly sandbox: PythonTools["sandbox"];
  readonly warnings: readonly Problem[];
  /** Results that were recorded elsewhere: they are imported, and nothing is run. */
  readonly recorded?: RecordedRun;
  readonly close: () => Promise<void>;
}

export interface PrepareRequest {
  readonly manifest: string;
  readonly candidates: readonly string[];
  readonly tasks: readonly string[];
  /** A part of the plan, which has its share of budget and rates. undefined: the whole plan. */
  readonly shard?: ShardChoice | undefined;
  /** True if all answers exist already: candidates are only named, and neither looked up nor asked. */
  readonly recorded?: boolean;
  /** True if the suite is only checked: then graders that see all samples together are tried too. */
  readonly checksOnly?: boolean;
  /** Flags that override the manifest's `run`. */
  readonly choices?: RunChoices | undefined;
  /** Another tool's results, judged by rules without a manifest: `manifest` is then the name of the results in messages. */
  readonly results?: ResultsAsked | undefined;
}

/** Reads the manifest and opens everything that it names. Throws one Refusal with all problems. */
export async function prepare(request: PrepareRequest, tools: Tools): Promise<Prepared> {
  const { results } = request;
  if (results !== undefined)
    return prepareResults(
      request,
      withChoices(await suiteOfResults(results, tools), request.choices),
      tools,
    );
  const read = async (): Promise<Resolved> =>
    withChoices(await readManifest(request.manifest, tools, readingOf(request)), request.choices);
  return prepareFrom(request, read, tools);
}

/** As `prepare`, with another way of reading the manifest. */
export async function prepareFrom(
  request: Omit<PrepareRequest, "manifest">,
  read: () => Promise<Resolved>,
  tools: Tools,
): Promise<Prepared> {
  // The interpreter starts while the manifest is read; a mistake in the manifest is reported first.
  const starting = tools.startPython();
  // This avoids an unhandled rejection: starting may fail before it is awaited, and the awaiting code handles the
  // error.
  starting.catch(() => undefined);
  try {
    const resolved = shardShare(await read(), request.shard);
    if (isRecorded(resolved.suite)) {
      const found = await prepareResults(request, resolved, tools);
      await starting.then(
        (python) => python.close(),
        () => undefined,
      );
      return found;
    }
    tools.secrets.learn(secretNames(resolved.suite));
    return await prepareSuite({ request, resolved, starting }, tools);
  } catch (error) {
    await starting.then(
      (python) => python.close(),
      () => undefined,
    );
    // A failure caused by stopping is not the user's mistake.
    if (!tools.signal.aborted) throw error;
    throw new Refusal(problem("stopped_early", undefined), { cause: error, exit: 130 });
  }
}

interface ToPrepare {
  readonly request: Omit<PrepareRequest, "manifest">;
  readonly resolved: Resolved;
  readonly starting: Promise<PythonTools>;
}

async function prepareSuite(work: ToPrepare, tools: Tools): Promise<Prepared> {
  const { request, resolved } = work;
  const tasks = select(resolved.suite.tasks, request.tasks, "--task");
  const candidates = select(resolved.suite.candidates, request.candidates, "--candidate");
  const { recorded = false } = request;
  const chosen = { tasks: tasks.chosen, candidates: candidates.chosen, recorded };
  const unusable = modelProblems({ resolved, ...chosen }, tools);
  refuse([...tasks.problems, ...candidates.problems, ...unusable]);
  const traffic = createTrafficControl(
    tools.candidateTools.clock,
    ({ provider, seconds }) => tools.report({ kind: "throttled", provider, seconds }),
    request.shard?.of,
  );
  const { suite } = resolved;
  const models = openGraderModels({ suite, candidates: candidates.chosen, traffic }, tools);
  const soon = pythonSoon(work.starting);
  const { checksOnly = false } = request;
  const asking = { traffic, models: models.models };
  const toOpen = { resolved, ...chosen, python: soon, ...asking, checksOnly };
  const [whole] = await Promise.all([openAll(toOpen, tools), expectBaseline(suite.gate, tools)]);
  await refuseForeign(whole, resolved.place);
  const opened = await withCases(whole, suite);
  const python = await soon.there();
  const late = [
    ...voidCalibrations(resolved, opened.tasks),
    ...endsOfModels({ resolved, ...chosen }, tools),
    ...judgeSettings(resolved, recorded ? tasks.chosen.filter(isBatch) : tasks.chosen),
    ...(await warningsHere(python, tools)),
  ];
  return {
    ...identify(resolved.suite, opened, tools),
    suite: resolved.suite,
    policyDirectory: resolved.policyDirectory,
    place: resolved.place,
    tasks: opened.tasks,
    candidates: opened.candidates,
    candidateSpecs: candidates.chosen,
    traffic,
    startModels: models.start,
    notSelected: { candidates: candidates.leftOut, ...tasksLeftOut(tasks.leftOut, opened) },
    shard: undefined,
    pythonVersion: python.version,
    sandbox: python.sandbox,
    warnings: [...resolved.warnings, ...opened.warnings, ...late],
    close: async () => {
      await opened.close();
      await python.close();
    },
  };
}

export type NamedToOpen = Pick<ToOpen, "resolved" | "tasks" | "candidates" | "recorded">;

/**
 * Problems of judges without a second answer to compare, and of models without a key, or without a price if dollars are
 * counted. If all answers are recorded, few models are asked.
 */
function modelProblems(
  { resolved, tasks, candidates, recorded }: NamedToOpen,
  tools: Tools,
): readonly Problem[] {
  const { budget } = resolved.suite;
  const place = resolved.place(["run", "budget", "usd"]);
  const compared = recorded ? [] : comparedProblems(tasks, candidates, resolved.place(["grader"]));
  const named = modelsNamed(resolved, recorded ? tasks.filter(isBatch) : tasks);
  return [
    ...compared,
    ...budgetProblems(budget, recorded ? [] : candidates, place),
    ...named.flatMap((each) => priceProblems(budget, [each.ref], each.place)),
    ...namedModelProblems(named, tools.candidateTools),
  ];
}

function isBatch({ grader }: Suite["tasks"][number]): boolean {
  return singleGraders(grader).some(isAggregate);
}

/** Hashes that tell whether another run answers the same question, and whether it can be reused for this one. */
function identify(suite: Suite, opened: OpenedTasks, tools: Tools): SuiteIdentity {
  const fingerprints = Object.fromEntries(
    opened.tasks.map((each) => [each.spec.id, each.fingerprint]),
  );
  // Excluded tasks have not been opened: the version covers only the tasks that run.
  const tasks = opened.tasks.map((each) => each.spec);
  const version = suiteVersion({ ...suite, tasks }, fingerprints, tools.files.hashText);
  const parts = {
    candidates: opened.candidateHashes,
    run: { tasks: tasks.map(({ id }) => id), ...judges(suite), ...subset(opened.tasks) },
  };
  return { version, inputHash: inputHash(version, parts, tools.files.hashText) };
}

/** Tasks that were excluded by name, or that have no wanted case, and the excluded cases of the others. */
function tasksLeftOut(
  byName: readonly string[],
  { leftOut, tasks }: Awaited<ReturnType<typeof withCases>>,
): Omit<Run["suite"]["not_selected"], "candidates"> {
  return { tasks: [...byName, ...leftOut], ...selectionsOf(tasks) };
}

/** Cases excluded by `max_samples`, per task; absent if none. */
function selectionsOf(tasks: readonly PreparedTask[]): Pick<Run["suite"]["not_selected"], "cases"> {
  const cases = tasks.flatMap(({ spec, selection }) =>
    selection === undefined ? [] : [{ task: spec.id, ...selection }],
  );
  return cases.length === 0 ? {} : { cases };
}

/** A run over a subset can't be resumed over another subset. */
function subset(tasks: readonly PreparedTask[]): JsonObject {
  const { cases } = selectionsOf(tasks);
  const parts = cases?.map(({ task, up_to, only }) => (only ? [task, up_to, only] : [task, up_to]));
  return parts === undefined ? {} : { cases: parts };
}

/** The judge and embedding models are part of the identity: a run must not mix two judges. Absent if there are none. */
function judges({ judge_model, embedding_model }: Suite): JsonObject {
  return {
    ...(judge_model && { judge_model: judge_model.model }),
    ...(embedding_model && { embedding_model: embedding_model.model }),
  };
}

async function expectBaseline(gate: Suite["gate"], { expectRun }: Tools): Promise<void> {
  if (gate !== "none" && gate.baseline?.path !== undefined) await expectRun();
}
