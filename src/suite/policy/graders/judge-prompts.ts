import { asksModels, singleGraders } from "../../../model/definition/graders.ts";
import type { PolicyChange } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";
import type { Task } from "../../../model/definition/suite.ts";
import type { Composed } from "../compose.ts";

/**
 * Notes for tasks whose judge reads the prompt, where the change adds words about judging to it: the prompt is the change's, so it
 * could ask the judge for a good verdict. *Not* found: requests in other words. Pure.
 */
export function judgePromptNotes({ base, counterparts }: Composed): readonly PolicyChange[] {
  return base.flatMap((task): readonly PolicyChange[] => {
    const head = counterparts.get(task.id);
    if (head === undefined || !readsPrompt(task)) return [];
    const known = piecesOf(task);
    const added = [...piecesOf(head)].filter((piece) => !known.has(piece));
    if (!added.some((piece) => aboutJudging.test(piece))) return [];
    const note = `the judge of \`${task.id}\` reads the prompt, to which this change adds words about judging: see that they ask for no verdict`;
    return [toldNote(note, { task: task.id })];
  });
}

/** Graders of the user's own are given the prompt as well. */
function readsPrompt({ grader }: Task): boolean {
  if (!asksModels(grader)) return false;
  return singleGraders(grader).some(
    (each) =>
      each.models !== undefined && !("options" in each && each.options["include_prompt"] === false),
  );
}

const aboutJudging =
  /\b(?:grad(?:e|es|ed|er|ers|ing)|judg(?:e|es|ed|ing|ment)|evaluat(?:e|ed|es|or|ors|ion)|scor(?:e|es|ed|ing|er)|rubric|verdict|reviewer|assessor|accept(?:s|ed|able)?|credit|marks?|pass(?:es|ed)?|counts? as|correct|anything goes)\b/i;

/** Sentences and lines of the prompt. */
function piecesOf({ prompt_template, messages, fewshot }: Task): ReadonlySet<string> {
  const parts = [messages, fewshot?.example_template, fewshot?.prompt_template];
  const text = [prompt_template, ...parts.map((part) => JSON.stringify(part ?? ""))].join("\n");
  return new Set(text.split(/(?<=[.!?:;])\s+|\n|\\n/).map((piece) => piece.trim()));
}
