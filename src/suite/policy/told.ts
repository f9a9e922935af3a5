import type { BaseTree, ToldField } from "../../model/outcomes/policy.ts";
import type { Suite } from "../../model/definition/suite.ts";
import type { PreparedTask } from "../opening/open-task.ts";
import type { Prepared } from "../prepare.ts";
import type { Tools } from "../../tools.ts";
import { appLookUps } from "./programs/app-look-ups.ts";
import { answerFiles, type AnswerFiles } from "./answers/answer-files.ts";
import type { Located } from "./base-manifest.ts";
import { toldIn } from "./changes.ts";
import type { Composed } from "./compose.ts";
import { committedResults } from "./committed-results.ts";
import { copiedAnswers } from "./answers/copied-answers.ts";
import { containedTargets } from "./answers/contained-targets.ts";
import { editedFiles } from "./edited-files.ts";
import type { alteredData } from "./graders/grader-data.ts";
import { fieldsOfGraders } from "./graders/grader-fields.ts";
import { alteredPackages } from "./graders/grader-packages.ts";
import { judgePromptNotes } from "./graders/judge-prompts.ts";
import { lookUps } from "./programs/look-ups.ts";
import { answerWatch, type AnswerWatch } from "./programs/opened-answers.ts";
import { namedFiles } from "./programs/named-files.ts";
import { inPlaceOfAsking } from "./recorded.ts";
import { requirementNotes } from "./graders/requirements.ts";
import { programTables } from "./programs/program-tables.ts";
import { editedJudges } from "./graders/result-judges.ts";
import { unnamedFiles } from "./programs/unnamed-files.ts";
import { signNotes } from "./programs/signs-of-evals.ts";

interface Compared {
  readonly base: Suite;
  readonly head: Suite;
  readonly composed: Composed;
  readonly judged: Prepared;
  readonly own: Prepared;
  readonly data: Awaited<ReturnType<typeof alteredData>>;
}

/**
 * Finds everything that gives a candidate the answer, or lets the change judge itself, each field once; and notes for
 * reviewers.
 */
export async function findTold(
  { base, head, composed, judged, own, data }: Compared,
  trees: { readonly located: Located; readonly tree: BaseTree },
  tools: Tools,
): Promise<AnswerFiles & { readonly watch: AnswerWatch | undefined }> {
  const candidates = { base: base.candidates, head: head.candidates };
  const ofGraders = await fieldsOfGraders(composed, candidates, tools.files);
  const packages = await alteredPackages(base, head.root, tools.files);
  const known = [...toldIn(composed), ...ofGraders, ...packages];
  const rows = [...judged.tasks, ...withMoreFields(judged.tasks, own.tasks)];
  const copies = await copiedAnswers(composed, { candidates, tasks: rows }, tools.files);
  const isKnown = (copy: ToldField): boolean =>
    known.some(({ task, field }) => task === copy.task && field === copy.field);
  const altered = await tools.files.findAltered(trees.located.root, trees.tree);
  const judging = data.map(({ path }) => path);
  const basePath = trees.located.basePath ?? "";
  const sides = { base, head, basePath, judged: judged.tasks };
  const unnamed = await unnamedFiles(sides, altered, tools.files);
  const files = await answerFiles({ ...sides, judging, unnamed }, altered);
  const looked = await lookUps(sides, altered, tools.files);
  const told = [
    ...known,
    ...copies.filter((copy) => !isKnown(copy)),
    ...files.told,
    ...looked.told,
    ...inPlaceOfAsking(base, head),
  ];
  const tables = await programTables({ ...sides, cases: files.cases }, altered, tools.files);
  const results = [
    ...(await committedResults(judged, { ...altered, sha: trees.tree.sha }, tools.files)),
    ...editedJudges(judged.recorded?.parts ?? [], altered),
  ];
  const notes = [
    ...files.notes,
    ...looked.notes,
    ...(await namedFiles(sides, altered, tools.files)),
    ...tables,
    ...(await appLookUps({ ...sides, judging }, altered, tools.files)),
    ...(await requirementNotes(base, altered, tools.files)),
    ...results,
    ...judgePromptNotes(composed),
    ...(await signNotes(sides, altered, tools.files)),
    ...(await containedTargets(composed, { candidates, tasks: rows, told })),
    ...(isCi(tools)
      ? await editedFiles({ ...sides, commit: trees.tree.head }, altered, tools.files)
      : []),
  ];
  const watch = answerWatch({ ...sides, quoting: files.quoting }, altered, tools.files);
  return { told, notes, watch };
}

/** The change's tasks whose rows have fields that the base's lack, and that its prompts may show. */
function withMoreFields(
  judged: readonly PreparedTask[],
  own: readonly PreparedTask[],
): readonly PreparedTask[] {
  return own.filter((task) => {
    const before = judged.find(({ spec }) => spec.id === task.spec.id);
    return before !== undefined && !task.dataset.fields.isSubsetOf(before.dataset.fields);
  });
}

/** Elsewhere whoever edits a file knows of it. */
function isCi({ candidateTools }: Pick<Tools, "candidateTools">): boolean {
  return Boolean(candidateTools.environment["CI"]);
}
