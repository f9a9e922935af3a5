import { isDeepStrictEqual } from "node:util";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import type { PolicyChange } from "../../model/outcomes/policy.ts";
import type { HiddenText } from "../../model/ports/secrets.ts";
import type { Suite, Task } from "../../model/definition/suite.ts";
import { counterpartOf, isProgram, type Composed } from "./compose.ts";
import { asName, bothShown, definedBy, withoutRoots, type Setting } from "./definition-values.ts";

/** Settings of a candidate that a note shows with their values, and those that it names. */
const mostShown = 4;
const mostNamed = 10;
/** Candidates that have a note of their own. */
const mostNotes = 12;

/**
 * Notes for what the change asks otherwise: the definitions of its candidates, the prompts, and how the run is run. None of this
 * alters how a change is judged, so they block nothing. But a change that has another program asked than the one that it
 * breaks would otherwise be green without a word. Pure.
 */
export function definitionNotes(base: Suite, { suite, counterparts }: Composed): PolicyChange[] {
  const hidden = suite.hidden_texts ?? [];
  const candidates = suite.candidates.flatMap((each): readonly string[] => {
    const before = counterpartOf(each, base.candidates, suite.candidates);
    const note = before && candidateNote(before, each, hidden);
    return note === undefined ? [] : [note];
  });
  const shown = candidates.slice(0, mostNotes);
  const rest = candidates.length - shown.length;
  const notes = [
    ...shown,
    ...(rest > 0 ? [`the definitions of ${rest} more candidates differ`] : []),
    ...promptNotes(base.tasks, counterparts),
    ...runNotes(base, suite),
  ];
  return notes.map((note) => ({ part: "candidates", task: null, effect: "told", note }));
}

function candidateNote(
  before: CandidateSpec,
  after: CandidateSpec,
  hidden: readonly HiddenText[],
): string | undefined {
  const differing = differences(definedBy(before), definedBy(after));
  const isRenamed = before.id !== after.id;
  const own = `the candidate ${asName(after.id)}`;
  if (differing.length === 0)
    return isRenamed ? `${own} is called ${asName(before.id)} on the base` : undefined;
  const how = isProgram(after) ? "started" : "asked";
  const was = isRenamed ? `, ${asName(before.id)} on the base,` : "";
  return `${own}${was} is ${how} otherwise: ${inWords(differing, hidden)}`;
}

interface Difference {
  readonly path: string;
  readonly sides: readonly [before: unknown, after: unknown];
}

/** Where the answers come from is said first. */
const isSource = /(?:^|\.)(?:kind|command|worker|runtime|model|url|base_url|file|answer|env|type)$/;

function differences(before: readonly Setting[], after: readonly Setting[]): readonly Difference[] {
  const [old, now] = [new Map(before), new Map(after)];
  const paths = [...new Set([...now.keys(), ...old.keys()])];
  const all = paths
    .map((path): Difference => ({ path, sides: [old.get(path), now.get(path)] }))
    .filter(({ sides: [one, other] }) => !isDeepStrictEqual(one, other));
  const first = all.filter(({ path }) => isSource.test(path));
  return [...first, ...all.filter((each) => !first.includes(each))];
}

/** `` `command` [python3, app.py] → [python3, old_app.py]; `timeout_seconds` 10 → 60; `headers.Authorization` differs ``. */
function inWords(differing: readonly Difference[], hidden: readonly HiddenText[]): string {
  const shown = differing.slice(0, mostShown).map(({ path, sides }) => {
    const values = bothShown(path, sides, hidden);
    return `${asName(shortPath(path))} ${values ?? goneOrNew(sides)}`;
  });
  const others = differing.slice(mostShown, mostShown + mostNamed);
  const rest = differing.length - mostShown - others.length;
  const more = [
    ...others.map(({ path }) => asName(shortPath(path))),
    ...(rest > 0 ? [`${rest} more settings`] : []),
  ];
  return [...shown, ...(more.length > 0 ? [`also ${more.join(", ")}`] : [])].join("; ");
}

function goneOrNew([before, after]: Difference["sides"]): string {
  if (before === undefined) return "is new";
  return after === undefined ? "is gone" : "differs";
}

/** As the manifest has it, where it is one level deeper than what was resolved. */
function shortPath(path: string): string {
  return path.replace(/^(?:generation|program)\./, "").replace(/^generation\./, "");
}

function promptNotes(
  base: readonly Task[],
  counterparts: Composed["counterparts"],
): readonly string[] {
  const pairs = base.flatMap((task) => {
    const head = counterparts.get(task.id);
    return head === undefined ? [] : [{ id: task.id, task, head }];
  });
  const differing = (pick: (task: Task) => unknown): readonly string[] =>
    pairs
      .filter(({ task, head }) => !isDeepStrictEqual(...both(pick(task), pick(head))))
      .map(({ id }) => id);
  const prompts = differing(({ prompt_template: text, messages }) => [text, messages]);
  const examples = differing(({ fewshot }) => fewshot);
  return [
    ...(prompts.length > 0 ? [`another prompt is asked for ${namesOf(prompts)}`] : []),
    ...(examples.length > 0
      ? [`other examples (\`fewshot\`) are shown for ${namesOf(examples)}`]
      : []),
  ];
}

function both(one: unknown, other: unknown): [unknown, unknown] {
  return [withoutRoots(one), withoutRoots(other)];
}

function namesOf(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).map(asName).join(", ");
  return ids.length > 5 ? `${shown} and ${ids.length - 5} more` : shown;
}

function runNotes(base: Suite, head: Suite): readonly string[] {
  const differing = differences(ofRun(base), ofRun(head));
  return differing.length === 0 ? [] : [`the run has other settings: ${inWords(differing, [])}`];
}

function ofRun({ concurrency, budget }: Suite): readonly Setting[] {
  return [
    ["concurrency", typeof concurrency === "number" ? concurrency : undefined],
    ...definedBy(budget, "budget."),
  ];
}
