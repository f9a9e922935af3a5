import { createTrafficControl } from "../../candidate/resilience/traffic.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import type { RecordedTask } from "../../model/definition/recorded.ts";
import type { HashText } from "../../model/ports/files.ts";
import { problem, Refusal, type Place } from "../../model/refusal.ts";
import type { ResultsAsked, RunResults } from "../../model/results.ts";
import type { Suite, Task } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { inputHash, suiteVersion } from "../../manifest/fingerprint.ts";
import { idAmong } from "../../results/metric-id.ts";
import type { Prepared, PrepareRequest, SuiteIdentity } from "../prepare.ts";
import { fewerCases } from "../opening/rule-rows.ts";
import { select } from "../selection/select.ts";
import { nameCandidate } from "../selection/share.ts";
import type { Tools } from "../../tools.ts";
import { askedProblems, withFacts } from "./facts.ts";
import { gateOf } from "./gate.ts";
import type { TakenGroup } from "./groups.ts";
import { nameSlots, nameTasks, type SlotNames } from "./names.ts";
import { plainMetric } from "./suite.ts";
import { takeResults, type TakenResults } from "./take.ts";
import { preparedTask } from "./task.ts";
import type { Resolved } from "../read-manifest.ts";

/** Recorded results that replace a run. */
export interface RecordedRun {
  readonly parts: readonly RecordedPart[];
  /** The slot name for a candidate's name in the tool. */
  readonly slotOf: (candidate: string | null) => string;
  /** The request, for a run without a manifest. */
  readonly asked: RunResults["asked"];
}

/** Some of the results, with the tasks that their groups become. */
export interface RecordedPart {
  readonly taken: TakenResults;
  readonly tasks: readonly { readonly id: string; readonly group: TakenGroup }[];
}

type Request = Pick<PrepareRequest, "candidates" | "tasks" | "results">;

const most = { tasks: 100, candidates: 20 } as const;

/** Reads the results that a suite names, and makes a suite that is ready to be judged. */
export async function prepareResults(
  request: Request,
  resolved: Resolved,
  tools: Tools,
): Promise<Prepared> {
  const opened: TakenResults[] = [];
  const close = async (): Promise<void> => {
    for (const each of opened) await each.remove();
  };
  try {
    const taken = await takeAll(request, resolved, { tools, opened });
    const { asked, found } = byIds(request, taken);
    return { ...describe(asked, found, { resolved, tools }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A task before the selection by name. */
interface FoundTask {
  readonly spec: RecordedTask;
  readonly group: TakenGroup;
  readonly taken: TakenResults;
  readonly index: number;
}

async function takeAll(
  request: Request,
  { suite, place }: Resolved,
  { tools, opened }: { readonly tools: Tools; readonly opened: TakenResults[] },
): Promise<readonly FoundTask[]> {
  const { directory } = suite;
  const known = new Map<string, TakenResults>();
  const found: FoundTask[] = [];
  for (const [index, task] of suite.tasks.entries()) {
    const { from } = task;
    if (from === undefined) continue;
    const metrics = task.metrics.map(({ id }) => id).filter((id) => !isSampleMetric(id));
    const root = request.results === undefined ? suite.root : undefined;
    const at = request.results === undefined ? place(["tasks", index, "from"]) : undefined;
    const key = JSON.stringify([from.paths, from.format, from.columns, metrics]);
    const { signal } = tools;
    const toTake = { from, metrics, directory, root, place: at, signal };
    const taken = known.get(key) ?? (await takeResults(toTake, tools.files));
    if (!known.has(key)) opened.push(taken);
    known.set(key, taken);
    const { hashText } = tools.files;
    found.push(...tasksOf({ ...task, from }, { taken, index, at, request, hashText }));
  }
  return found;
}

/** Flags may name metrics as the tool does: from here on by their ids. */
function byIds(
  request: Request,
  found: readonly FoundTask[],
): { readonly asked: Request; readonly found: readonly FoundTask[] } {
  const { results } = request;
  if (results === undefined) return { asked: request, found };
  const known = new Set(found.flatMap(({ group }) => group.metrics.map(({ id }) => id)));
  const wanted = [...new Set(results.rules.metrics.map((name) => idAmong(name, known)))];
  const asked = { ...results, rules: { ...results.rules, metrics: wanted } };
  const metrics = wanted.map(plainMetric);
  return {
    asked: { ...request, results: asked },
    found: found.map((each) => ({ ...each, spec: { ...each.spec, metrics } })),
  };
}

/** Without a manifest every group is a task; with one, each task names its group. */
function tasksOf(
  spec: Task & RecordedTask,
  around: {
    readonly taken: TakenResults;
    readonly index: number;
    readonly at: Place | undefined;
    readonly request: Request;
    readonly hashText: HashText;
  },
): readonly FoundTask[] {
  const { taken, index, at, request } = around;
  const { groups } = taken;
  if (request.results !== undefined) {
    const ids = nameTasks(
      groups.map(({ name }) => name),
      around.hashText,
    );
    return groups.map((group, i) => ({ spec: { ...spec, id: ids[i] ?? "" }, group, taken, index }));
  }
  const { group: wanted } = spec.from;
  const [first, ...others] = groups;
  const group =
    wanted === undefined && others.length === 0
      ? first
      : groups.find(({ name }) => name === wanted && wanted !== undefined);
  if (group !== undefined) return [{ spec, group, taken, index }];
  const names = groups.map(({ name }) => name).filter((name) => name !== null);
  throw new Refusal(problem("results_groups", { found: wanted, known: names }, at));
}

interface Around {
  readonly resolved: Resolved;
  readonly tools: Tools;
}

function describe(
  request: Request,
  all: readonly FoundTask[],
  around: Around,
): Omit<Prepared, "close"> {
  const { resolved, tools } = around;
  const slots = slotsOf(all, tools);
  const candidates = select(
    slots.ids.map((id) => slotSpec(id, slots.nameOf(id))),
    request.candidates,
    "--candidate",
  );
  const specs = all.map((each) => ({
    ...each,
    id: each.spec.id,
    spec: withFacts(each, request.results),
  }));
  const tasks = select(specs, request.tasks, "--task");
  const problems = [
    ...tasks.problems,
    ...candidates.problems,
    ...askedProblems(tasks.chosen, request.results),
  ];
  if (problems.length > 0) throw new Refusal(problems);
  const parts = partsOf(tasks.chosen);
  const prepared = tasks.chosen.map((each) => openTask(each, around));
  const suite = suiteOf(request, { prepared, candidates: candidates.chosen, resolved });
  return {
    suite,
    ...identify(suite, { prepared, parts, hashText: tools.files.hashText }),
    ...nobodyAsked(tools),
    policyDirectory: resolved.policyDirectory,
    place: resolved.place,
    tasks: prepared,
    candidates: candidates.chosen.map(nameCandidate),
    candidateSpecs: candidates.chosen,
    notSelected: { tasks: tasks.leftOut, candidates: candidates.leftOut },
    warnings: [
      ...resolved.warnings,
      ...prepared.flatMap(({ warnings }) => warnings),
      ...tasks.chosen.flatMap((each) => fewerCases({ ...each, resolved }, each.group.cases)),
    ],
    recorded: {
      parts,
      slotOf: slots.slotOf,
      asked: request.results && askedOf(request.results, suite.name),
    },
  };
}

/** Placeholders for what a real run needs: this run asks and grades nothing. */
function nobodyAsked({
  candidateTools,
}: Tools): Pick<Prepared, "traffic" | "startModels" | "shard" | "pythonVersion" | "sandbox"> {
  return {
    traffic: createTrafficControl(candidateTools.clock, () => undefined),
    startModels: () => undefined,
    shard: undefined,
    pythonVersion: null,
    sandbox: () => undefined,
  };
}

function openTask(
  task: Parameters<typeof preparedTask>[0],
  { resolved: { suite, place }, tools }: Around,
): Prepared["tasks"][number] {
  return preparedTask(task, { suite: suite.name, place, hashText: tools.files.hashText });
}

function suiteOf(
  { results }: Request,
  made: {
    readonly prepared: Prepared["tasks"];
    readonly candidates: readonly CandidateSpec[];
    readonly resolved: Resolved;
  },
): Suite {
  const tasks = made.prepared.map(({ spec }) => spec);
  const gate = results && gateOf(results.rules, tasks, undefined);
  return { ...made.resolved.suite, tasks, candidates: made.candidates, ...(gate && { gate }) };
}

/** The results of each file once, with the tasks that they belong to. */
function partsOf(tasks: readonly (FoundTask & { readonly id: string })[]): readonly RecordedPart[] {
  const all = [...new Set(tasks.map(({ taken }) => taken))];
  return all.map((taken) => ({ taken, tasks: tasks.filter((each) => each.taken === taken) }));
}

/** The results are the run's input, so that other results make another run. */
function identify(
  suite: Suite,
  made: {
    readonly prepared: Prepared["tasks"];
    readonly parts: readonly RecordedPart[];
    readonly hashText: HashText;
  },
): SuiteIdentity {
  const { prepared, parts, hashText } = made;
  const fingerprints = Object.fromEntries(prepared.map((task) => [task.spec.id, task.fingerprint]));
  const version = suiteVersion(suite, fingerprints, hashText);
  const candidates = suite.candidates.map(({ id }) => id);
  const run = parts.map(({ taken }) => taken.hash);
  return { version, inputHash: inputHash(version, { candidates, run }, hashText) };
}

function askedOf({ from, rules }: ResultsAsked, name: string): RunResults["asked"] {
  const { maxDrop = null, min = null, metrics } = rules;
  return { paths: from.paths, name, max_drop: maxDrop, min, metrics };
}

function slotsOf(all: readonly FoundTask[], { files }: Tools): SlotNames {
  const names = all.flatMap(({ group }) => group.candidates);
  const slots = nameSlots(names, files.hashText);
  refuseAlike(all, slots.alike);
  refuseMany(all, slots.ids);
  return slots;
}

/** Refuses two names in one slot: their rows would overwrite each other, or form one candidate with twice the cases. */
function refuseAlike(
  tasks: readonly FoundTask[],
  alike: readonly (readonly (string | null)[])[],
): void {
  const place = { file: tasks[0]?.taken.files[0]?.path ?? "" };
  const problems = alike.map((names) => problem("results_candidates_alike", { names }, place));
  if (problems.length > 0) throw new Refusal(problems);
}

function refuseMany(tasks: readonly FoundTask[], candidates: readonly string[]): void {
  const counts = { tasks: tasks.length, candidates: candidates.length };
  const problems = (["tasks", "candidates"] as const)
    .filter((what) => counts[what] > most[what])
    .map((what) => problem("results_many", { what, count: counts[what], most: most[what] }));
  if (problems.length > 0) throw new Refusal(problems);
}

/** The specification of a recording, because no candidate is asked. */
function slotSpec(id: string, model: string | null): CandidateSpec {
  return {
    id,
    kind: "replay",
    file: { path: "", absolute: "" },
    model: model ?? undefined,
    output_field: "output",
    id_field: "id",
  };
}
