import { isDeepStrictEqual } from "node:util";
import { chooseRows } from "../../dataset/choose.ts";
import type { Dataset, DatasetSource } from "../../model/definition/dataset.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { Case } from "../../model/outcomes/sample.ts";
import type { FewshotSpec, Task } from "../../model/definition/suite.ts";
import { rankOf } from "../../stats/inference/rank.ts";
import type { Message } from "../../model/models/message.ts";
import {
  beforePrompt,
  chooseBefore,
  exampleFields,
  insertExamples,
  parseFewshot,
  renderExamples,
  type FewshotRequest,
  type FewshotTemplates,
} from "../../prompt/fewshot.ts";
import type { FileTools } from "../../tools.ts";
import { openConversations, type Conversations } from "./conversations.ts";
import { templateWarnings } from "../../prompt/warnings.ts";

/** The examples that precede a task's prompts. */
export interface Fewshot {
  readonly before: (own: FewshotRequest) => string;
  /** Inserts the examples as messages. */
  readonly insert: (own: FewshotRequest, messages: readonly Message[]) => readonly Message[];
  /** The rendered examples: the part of the data that changes prompts. */
  readonly examples: readonly string[];
  readonly warnings: readonly Problem[];
}

interface ToShow {
  readonly spec: Task;
  /** The task's own cases. */
  readonly dataset: Dataset;
  /** Opens another data set in the same way as the task's own, with its preprocessor. */
  readonly openOther: (dataset: DatasetSource) => Promise<OpenedOther>;
  readonly place: (...keys: readonly (string | number)[]) => Place;
  readonly files: FileTools;
}

type OpenedOther =
  | { readonly dataset: Dataset; readonly close: () => Promise<void> }
  | { readonly problems: readonly Problem[] };

export const noFewshot: Fewshot = {
  before: () => "",
  insert: (_, messages) => messages,
  examples: [],
  warnings: [],
};

/** Chooses and renders a task's examples, or returns the problems. */
export async function openFewshot(
  toShow: ToShow,
): Promise<{ readonly fewshot: Fewshot } | { readonly problems: readonly Problem[] }> {
  const { fewshot: spec, dataset: own } = toShow.spec;
  if (spec === undefined) return { fewshot: noFewshot };
  if (spec.dataset === undefined || isSame(spec.dataset, own)) {
    // One more than needed: if an example is the case itself, the case gets another one instead.
    const choice = { ...spec, count: spec.count + 1, distinct: true };
    const rows = await chooseRows(toShow.dataset.cases(), choice, rankOf);
    if (rows.length <= spec.count && !hasMore(toShow.dataset))
      return { problems: [tooFew(toShow, rows.length - 1)] };
    return await show(rows, toShow.dataset, { toShow, spec });
  }
  const opened = await toShow.openOther(neededRows(spec, spec.dataset, toShow.spec));
  if ("problems" in opened) return opened;
  try {
    // One more than needed, because the case itself may be in this data set.
    const choice = { ...spec, count: spec.count + 1, distinct: false };
    const rows = await chooseRows(opened.dataset.cases(), choice, rankOf);
    if (rows.length < spec.count && !hasMore(opened.dataset))
      return { problems: [tooFew(toShow, rows.length)] };
    return await show(rows, opened.dataset, { toShow, spec });
  } finally {
    await opened.close();
  }
}

/** True for a data set of which only the first rows were downloaded, to check them. */
function hasMore({ first }: Dataset): boolean {
  return first !== undefined;
}

/** The same rows, even with another id field. */
function isSame(one: DatasetSource, other: DatasetSource): boolean {
  return isDeepStrictEqual({ ...one, id_field: null }, { ...other, id_field: null });
}

/** Examples need no ids, and the first rows of a remote data set are enough. */
function neededRows(
  { count, strategy }: FewshotSpec,
  dataset: DatasetSource,
  { preprocess }: Task,
): DatasetSource {
  if (!("max_rows" in dataset)) return { ...dataset, id_field: null };
  const isAll = strategy === "random" || preprocess !== undefined;
  const max_rows = isAll ? dataset.max_rows : Math.min(dataset.max_rows ?? count + 1, count + 1);
  return { ...dataset, max_rows, id_field: null };
}

function tooFew({ spec, place }: ToShow, rows: number): Problem {
  const isOwn = spec.fewshot?.dataset === undefined;
  const found = { count: spec.fewshot?.count ?? 0, rows: Math.max(rows, 0), isOwn };
  return problem("fewshot_too_many", found, place(spec.fewshot?.key ?? "fewshot"));
}

async function show(
  rows: readonly Case[],
  { fields }: Dataset,
  { toShow, spec }: { readonly toShow: ToShow; readonly spec: FewshotSpec },
): ReturnType<typeof openFewshot> {
  const templates = parseFewshot(spec, toShow.spec);
  const looked = await lookAtImages(rows, { toShow, spec });
  if ("problems" in looked) return looked;
  const { choices } = toShow.spec;
  const examples = renderExamples(rows, templates, { choices, knownImage: looked.knownImage });
  const choose = chooseBefore(examples, spec.count);
  const fewshot: Fewshot = {
    before: beforePrompt(examples, spec),
    insert: (own, messages) => insertExamples(messages, choose(own)),
    examples: examples.map(({ text }) => text),
    warnings: warningsOf(templates, fields, toShow),
  };
  return { fewshot };
}

/** Reads the images of examples that are asked like the task's cases. */
async function lookAtImages(
  rows: readonly Case[],
  { toShow, spec }: { readonly toShow: ToShow; readonly spec: FewshotSpec },
): Promise<Pick<Conversations, "knownImage"> | { readonly problems: readonly Problem[] }> {
  const { messages, choices } = toShow.spec;
  const images = spec.images ?? toShow.spec.images;
  if (messages === undefined || images === undefined || spec.prompt_template !== undefined)
    return { knownImage: (part) => part };
  const asked = { messages, choices, images };
  const place = toShow.place("fewshot", "dataset");
  const opened = await openConversations(asked, { cases: [rows], place }, toShow.files);
  return "problems" in opened ? opened : opened.conversations;
}

/** Warnings of the examples' templates. The task's own templates over its own rows were checked before. */
function warningsOf(
  { prompt, target, example }: FewshotTemplates,
  fields: ReadonlySet<string>,
  { spec, place }: ToShow,
): readonly Problem[] {
  const isOther = spec.fewshot?.dataset !== undefined;
  const at = (key: string): Place => place("fewshot", key);
  return [
    ...(prompt !== undefined && (isOther || prompt.text !== spec.prompt_template)
      ? templateWarnings(prompt, fields, at("prompt_template"))
      : []),
    ...(target !== undefined && (isOther || target.text !== spec.target_template)
      ? templateWarnings(target, fields, at("target_template"))
      : []),
    ...templateWarnings(example, exampleFields, at("example_template")),
  ];
}
