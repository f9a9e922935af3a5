import { join, relative } from "node:path";
import { isReproducible } from "../../model/definition/candidate-kinds.ts";
import type { Withheld } from "../../model/ports/fence.ts";
import type { BaseTree, PolicyChange, RunPolicy } from "../../model/outcomes/policy.ts";
import { Refusal, type Problem } from "../../model/refusal.ts";
import type { FileRef, Suite } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { withChoices } from "../selection/choices.ts";
import { withForeignOutputs, type ForeignOutputs } from "../foreign-outputs.ts";
import { prepare, prepareFrom, type PrepareRequest, type Prepared } from "../prepare.ts";
import { select } from "../selection/select.ts";
import type { Tools } from "../../tools.ts";
import { locateInBase, readBaseManifest, type Located } from "./base-manifest.ts";
import { policyOfResults } from "./of-results.ts";
import { programChanges } from "./program-changes.ts";
import { withBaseContents } from "./added-fields.ts";
import { changesBetween } from "./changes.ts";
import { alteredData } from "./graders/grader-data.ts";
import { definitionNotes } from "./definitions.ts";
import { composeSuite, keepFences, withBefore, type Composed } from "./compose.ts";
import { priceChanges } from "./prices.ts";
import { dataOf, withholding } from "../withheld.ts";
import type { AnswerWatch } from "./programs/opened-answers.ts";
import { shareGraders, type SharedGraders } from "./graders/shared-graders.ts";
import { findTold } from "./told.ts";
import { workflowChanges } from "./workflow.ts";
import { renamedTasks, withBaseTaskIds } from "./task-names.ts";
import { findRecorded } from "./recorded.ts";
import { readingOf, readManifest, type Resolved } from "../read-manifest.ts";

/** Facts about the policy before anything was run. */
export type OpenPolicy = Omit<RunPolicy, "base" | "head" | "decided_by">;

/** A suite that is ready to be judged, by the base's policy if a base is named. */
export interface OpenedSuite {
  readonly prepared: Prepared;
  /** The suite by the change's own policy; undefined if it is the same, or if there is none. */
  readonly own: Prepared | undefined;
  /** undefined if no base was named. */
  readonly policy: OpenPolicy | undefined;
  /**
   * Input hash of the base's own suite, if an equal one means an equal run; undefined if no base was named, if it can't
   * be prepared, or if a candidate's answers depend on undeclared things.
   */
  readonly baseInputs: () => Promise<string | undefined>;
  readonly warnings: readonly Problem[];
  /** The data sets that no candidate has to open while it runs; undefined: none are watched. */
  readonly watch?: AnswerWatch | undefined;
  readonly close: () => Promise<void>;
}

export type OpenRequest = PrepareRequest & {
  readonly policyFrom?: BaseTree | undefined;
  readonly outputsFrom?: ForeignOutputs | undefined;
};

/** Prepares a suite for the policies that will judge it. Throws one Refusal with all problems. */
export async function openSuite(request: OpenRequest, tools: Tools): Promise<OpenedSuite> {
  const { outputsFrom } = request;
  if (outputsFrom !== undefined) {
    const read = async (): Promise<Resolved> =>
      withForeignOutputs(
        await readManifest(request.manifest, tools, readingOf(request)),
        outputsFrom,
      );
    return openedAlone(await prepareFrom(request, read, tools), undefined);
  }
  if (request.policyFrom === undefined)
    return openedAlone(await prepare(request, tools), undefined);
  // Rules given by flags belong to whoever started the run, usually a workflow.
  if (request.results !== undefined) {
    const prepared = await prepare(request, tools);
    return openedAlone(prepared, await policyOfResults(prepared, request.policyFrom, tools));
  }
  const located = await locateInBase(request.manifest, request.policyFrom, tools);
  const { source, sha } = request.policyFrom;
  const { suite, basePath } = located;
  const slots = { new: [], missing: [] };
  const changed = await workflowChanges(request.policyFrom, located.root, tools.files);
  const known = { source, sha, suite, base_path: basePath, slots, recorded: [], changed };
  if (basePath === null) return openedAlone(await prepare(request, tools), known);
  const tree = { ...request.policyFrom, ...readingOf(request) };
  const read = await readBaseManifest(basePath, tree, tools);
  const base = withChoices(read, request.choices);
  const graders = shareGraders(tools.startPython, tools.files);
  const sides = { request, located, base, tree: request.policyFrom, graders };
  // A change may leave the base's data set in its place and name another one.
  const held = withholding(dataHere(sides), tools);
  const opened = await (suite === "deleted" ? openDeleted : openBoth)(sides, known, held);
  return { ...opened, baseInputs: () => readBaseInputs(sides, tools) };
}

async function readBaseInputs(
  { request, base, graders }: Sides,
  tools: Tools,
): Promise<string | undefined> {
  if (!base.suite.candidates.every(isReproducible)) return undefined;
  const shared = { ...tools, startPython: graders.after(Promise.resolve()) };
  try {
    const prepared = await prepareFrom({ ...request, recorded: false }, async () => base, shared);
    await prepared.close();
    return prepared.inputHash;
  } catch (error) {
    // If the base can't be prepared here, it may still have run elsewhere.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

interface Sides {
  readonly request: OpenRequest;
  readonly located: Located;
  readonly base: Resolved;
  readonly tree: BaseTree;
  readonly graders: SharedGraders;
}

function openedAlone(prepared: Prepared, policy: OpenPolicy | undefined): OpenedSuite {
  const { warnings, close } = prepared;
  return { prepared, own: undefined, policy, baseInputs: unknownInputs, warnings, close };
}

async function unknownInputs(): Promise<undefined> {
  return undefined;
}

/**
 * For a suite that the change removed, the same questions are asked of the change's own candidates: the base's program
 * or recording says nothing about the change. If they can't be asked any more, no case has an answer.
 */
async function openDeleted(sides: Sides, known: OpenPolicy, tools: Tools): Promise<OpenedSuite> {
  const { request, base, graders } = sides;
  const suite = suiteWithout(sides);
  const shared = { ...tools, startPython: graders.first };
  const prepareWith = (candidates: readonly CandidateSpec[]): Promise<Prepared> =>
    prepareFrom(request, async () => ({ ...base, suite: { ...suite, candidates } }), shared);
  const note = "the change has it no more: its cases are asked of the change's own candidates";
  const changed = { part: "suite", task: null, effect: "changed", note } as const;
  try {
    const prepared = await prepareWith(suite.candidates);
    return openedAlone(prepared, { ...known, changed: [...known.changed, changed] });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const prepared = await prepareWith(suite.candidates.map(unanswered));
    const why = error.problems[0]?.message ?? "they can't be opened";
    const words = `${note}, which can't be asked (${why}): every case counts as failed`;
    return openedAlone(prepared, {
      ...known,
      changed: [...known.changed, { ...changed, note: words }],
    });
  }
}

/** The base's suite in the change's folders. */
function suiteWithout({ located, base, tree }: Sides): Suite {
  const { directory, root, manifest } = located;
  const here = (file: FileRef): FileRef => ({
    ...file,
    absolute: join(root, relative(tree.root, file.absolute)),
  });
  const candidates = base.suite.candidates.map((each): CandidateSpec => {
    // An agent's workspace is the base's; its skills are the change's.
    if (each.kind === "agent") return { ...each, skills: each.skills.map(here) };
    if (each.kind !== "replay") return each;
    return { ...withBefore(each, each), file: here(each.file) };
  });
  return { ...base.suite, path: manifest, directory, root, candidates };
}

/** An empty recording in place of a candidate. */
function unanswered({ id }: CandidateSpec): CandidateSpec {
  const file = { path: "this change", absolute: "" };
  const names = { model: undefined, output_field: "output_text", id_field: "case_id" };
  return { id, kind: "replay", file, ...names, answeredBefore: "all" };
}

async function openBoth(sides: Sides, known: OpenPolicy, tools: Tools): Promise<OpenedSuite> {
  const { request, base, graders } = sides;
  const read = await readManifest(request.manifest, tools, readingOf(request));
  const written = withChoices(read, request.choices);
  // This also applies to the change's own policy: a program without its sandbox could prepare the answers of the other
  // run.
  const fenced = keepFences(base.suite.candidates, written.suite.candidates);
  const { suite, renamed } = withBaseTaskIds(base.suite, {
    ...written.suite,
    candidates: fenced,
  });
  const head = { ...written, suite };
  const composed = composeSuite(base.suite, head.suite);
  const held = withholding(dataOf(head.suite), tools);
  const byBase = { ...held, startPython: graders.first };
  const judging = prepareFrom(request, async () => compose(composed, base, head), byBase);
  const byOwn = { ...held, startPython: graders.after(judging) };
  const [judged, prepared] = await bothOf(
    judging,
    prepareFrom(request, async () => head, byOwn),
  );
  let own = prepared;
  try {
    own = { ...prepared, tasks: await withBaseContents(judged.tasks, prepared.tasks) };
    const opened = { head, composed, judged, own, written: written.suite, renamed };
    const { changed, policy, watch } = await comparePolicies({ sides, known }, opened, tools);
    if (changed.every(({ part, effect }) => part === "suite" && effect === "equivalent")) {
      await own.close();
      return { ...openedAlone(judged, policy), watch, warnings: own.warnings };
    }
    const close = async (): Promise<void> => {
      await own.close();
      await judged.close();
    };
    return { ...openedAlone(judged, policy), own, watch, warnings: own.warnings, close };
  } catch (error) {
    await own.close();
    await judged.close();
    throw error;
  }
}

interface BothOpened {
  readonly head: Resolved;
  readonly composed: Composed;
  readonly judged: Prepared;
  readonly own: Prepared;
  /** The change's suite, before the base's terms were applied. */
  readonly written: Suite;
  readonly renamed: Parameters<typeof renamedTasks>[0];
}

/** Compares the two policies: the facts about them, and the parts in which they differ. */
async function comparePolicies(
  { sides, known }: { readonly sides: Sides; readonly known: OpenPolicy },
  { head, composed, judged, own, written, renamed }: BothOpened,
  tools: Tools,
): Promise<{
  readonly changed: readonly PolicyChange[];
  readonly policy: OpenPolicy;
  readonly watch: AnswerWatch | undefined;
}> {
  const { request, base, located, tree } = sides;
  const slots = { ...composed.slots, missing: chosenCandidates(composed.slots.missing, request) };
  const candidates = { base: base.suite.candidates, head: head.suite.candidates };
  const data = await alteredData(base.suite, head.suite.root, tools);
  const { told, notes, watch } = await findTold(
    { base: base.suite, head: head.suite, composed, judged, own, data },
    { located, tree },
    tools,
  );
  const ofPrograms = await programChanges(
    candidates.base,
    written.candidates,
    tools.candidateTools,
  );
  const changed = [
    ...changesBetween({ judged, own, base, head, composed, told, data }, located),
    ...ofPrograms,
    ...priceChanges(candidates.base, candidates.head),
    ...renamedTasks(renamed),
  ];
  const recorded = await findRecorded(candidates.base, candidates.head, tools.files);
  const asked = definitionNotes(base.suite, composed);
  const all = [...known.changed, ...changed, ...notes, ...asked];
  const policy = { ...known, slots, changed: all, recorded, ...(told.length > 0 && { told }) };
  return { changed, policy, watch };
}

/** The paths of the base's data sets in the change's folders. */
function dataHere({ base, tree, located }: Sides): readonly Withheld[] {
  return dataOf(base.suite).map(({ path, what }) => ({
    path: join(located.root, relative(tree.root, path)),
    what,
  }));
}

/** Opens both at the same time: each reads its data. If one fails, the other is closed, and the first failure is thrown. */
async function bothOf(
  first: Promise<Prepared>,
  second: Promise<Prepared>,
): Promise<readonly [Prepared, Prepared]> {
  const both = [first, second] as const;
  const settled = await Promise.allSettled(both);
  if (settled.some(({ status }) => status === "rejected"))
    for (const each of settled) if (each.status === "fulfilled") await each.value.close();
  return Promise.all(both);
}

/** The chosen candidates: those excluded by `--candidate` don't count as missing. */
function chosenCandidates(ids: readonly string[], { candidates }: OpenRequest): readonly string[] {
  const slots = ids.map((id) => ({ id }));
  return select(slots, candidates, "--candidate").chosen.map(({ id }) => id);
}

/** Keys of a task that come from the change. */
const asked: readonly unknown[] = [
  "prompt_template",
  "messages_template",
  "fewshot",
  "num_fewshot",
];

/** Each part of the composed suite keeps the position of its own declaration. */
function compose({ suite, counterparts }: Composed, base: Resolved, head: Resolved): Resolved {
  const place: Resolved["place"] = ([first, index, ...rest]) => {
    if (first === "candidates")
      return head.place([first, ...(index === undefined ? [] : [index]), ...rest]);
    const task = first === "tasks" && typeof index === "number" ? suite.tasks[index] : undefined;
    const own = task && counterparts.get(task.id);
    if (own !== undefined && asked.includes(rest[0]))
      return head.place(["tasks", head.suite.tasks.indexOf(own), ...rest]);
    return base.place([first, index, ...rest].filter((part) => part !== undefined));
  };
  return { ...base, suite, place, warnings: [] };
}
