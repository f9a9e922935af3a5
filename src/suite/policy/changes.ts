import type { PolicyChange, PolicyPart, ToldField } from "../../model/outcomes/policy.ts";
import type { Suite } from "../../model/definition/suite.ts";
import { promptTemplateOf } from "../../prompt/messages.ts";
import { toldFields } from "../../prompt/template.ts";
import { answerTemplate } from "../prompts/answer-templates.ts";
import type { Prepared } from "../prepare.ts";
import type { alteredData } from "./graders/grader-data.ts";
import type { Located } from "./base-manifest.ts";
import { sameCalibration, sameGate } from "./compose.ts";
import type { Composed } from "./compose.ts";
import { changedParts } from "./parts.ts";
import type { Resolved } from "../read-manifest.ts";

/** A suite by both policies, before it is run. */
interface BothPolicies {
  readonly judged: Prepared;
  readonly own: Prepared;
  readonly base: Resolved;
  readonly head: Resolved;
  readonly composed: Composed;
  /** Fields of a row that the change passes to its candidates. */
  readonly told: readonly ToldField[];
  /** Changed data that graders or preprocessors read. */
  readonly data: Awaited<ReturnType<typeof alteredData>>;
}

/** Differences between the change's policy and the base's. Their effect is known after both have judged. Pure. */
export function changesBetween(sides: BothPolicies, located: Located): readonly PolicyChange[] {
  const { judged, own, base, head, composed, told } = sides;
  return [
    ...suiteChanges(base.suite, head.suite, located),
    ...judged.tasks.flatMap(({ spec }) => taskChanges(spec.id, sides)),
    ...own.tasks
      .filter(({ spec }) => composed.counterparts.get(spec.id) === undefined)
      .map(({ spec }) =>
        aChange("task", spec.id, "the base does not have it: its own rules judge it"),
      ),
    ...(sameGate(base.suite, head.suite) ? [] : [aChange("gate", null, null)]),
    ...(sameCalibration(base.suite, head.suite)
      ? []
      : [aChange("gate", null, "the labels of `judge_calibration` differ")]),
    ...told.map(toldChange),
    ...slotChanges(composed.slots),
  ];
}

/** Fields that only the base's target uses, and that the change's prompt passes on. */
export function toldIn({ counterparts, base }: Composed): readonly ToldField[] {
  return base.flatMap((task) => {
    const { id } = task;
    const head = counterparts.get(id);
    if (head === undefined) return [];
    const target = answerTemplate(task);
    const prompt = promptTemplateOf(task);
    const fields = toldFields({ prompt, target }, promptTemplateOf(head));
    return fields.map((field) => ({ task: id, field }));
  });
}

/** A field that is told, as a part that differs. */
export function toldChange({ task, field, reader }: ToldField): PolicyChange {
  if (reader === undefined)
    return aChange(
      "target_template",
      task,
      `the prompt uses \`${field}\`, which only the target used`,
    );
  return aChange("task", task, toldNotes[reader](field));
}

const toldNotes: Readonly<Record<NonNullable<ToldField["reader"]>, (field: string) => string>> = {
  grader: (field) => `the candidate is told \`${field}\`, which only the grader read`,
  package: (field) => `what judges it imports \`${field}\`, which this change alters`,
  file: (field) =>
    `\`${field}\` has the answers of cases beside what they ask, in their order, or by listing those with one answer`,
  lookup: (field) => `\`${field}\` names what holds the answers of cases`,
  opened: (field) => `\`${field}\` was opened while the candidates ran`,
  edited: (field) => `\`${field}\` was edited, added or removed while the candidates ran`,
  recording: (field) => `the change brings the answers of \`${field}\`, which the base asks`,
  copy: (field) => `the candidate is told \`${field}\`, whose values are the targets`,
};

function aChange(
  part: PolicyChange["part"],
  task: string | null,
  note: string | null,
): PolicyChange {
  return { part, task, effect: "changed", note };
}

function suiteChanges(base: Suite, head: Suite, located: Located): readonly PolicyChange[] {
  return [
    ...(located.suite === "moved" ? [aNote(`the base has it at ${located.basePath ?? ""}`)] : []),
    ...(base.name === head.name ? [] : [aNote(`the base calls it \`${base.name}\``)]),
  ];
}

function taskChanges(id: string, sides: BothPolicies): readonly PolicyChange[] {
  const { judged, own, base, head, composed } = sides;
  const counterpart = composed.counterparts.get(id);
  if (counterpart === undefined)
    return [aChange("task", id, "the change has it no more: it is asked as the base asks it")];
  const ours = judged.tasks.find(({ spec }) => spec.id === id);
  const theirs = own.tasks.find(({ spec }) => spec.id === counterpart.id);
  if (ours === undefined || theirs === undefined) return [];
  const parts = changedParts(
    { task: ours, models: base.suite },
    { task: theirs, models: head.suite },
  );
  const read = sides.data.filter(({ task, part }) => task === id && !parts.includes(part));
  return [
    ...parts.map((part) => aChange(part, id, null)),
    ...byPart(read).map(([part, paths]) =>
      aChange(
        part,
        id,
        `${codeList(paths)}, which it reads, ${paths.length === 1 ? "differs" : "differ"}`,
      ),
    ),
  ];
}

function byPart(data: BothPolicies["data"]): readonly (readonly [PolicyPart, readonly string[]])[] {
  return [...Map.groupBy(data, ({ part }) => part)].map(
    ([part, found]) => [part, found.map(({ path }) => path)] as const,
  );
}

function slotChanges(slots: Composed["slots"]): readonly PolicyChange[] {
  const added = `new, and only for information: ${codeList(slots.new)}`;
  const gone = `missing: ${codeList(slots.missing)}`;
  return [
    ...(slots.missing.length > 0 ? [aChange("candidates", null, gone)] : []),
    ...(slots.new.length > 0
      ? [{ part: "candidates", task: null, effect: "added", note: added } as const]
      : []),
  ];
}

function aNote(note: string): PolicyChange {
  return { part: "suite", task: null, effect: "equivalent", note };
}

function codeList(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(", ");
}
