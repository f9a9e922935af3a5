import type { ImagePart, Message } from "../model/models/message.ts";
import { textOfMessages } from "../model/models/message.ts";
import type { Case, Row } from "../model/outcomes/sample.ts";
import type { FewshotSpec } from "../model/definition/suite.ts";
import { parseMessages, renderMessages, withImages, type MessagesTemplate } from "./messages.ts";
import { readField, textsWithin, valueText } from "../base/fields.ts";
import { parseTemplate, render, templateFields, type Template } from "./template.ts";
import type { TaskQuestion } from "../model/definition/asked.ts";

/** The parsed templates of few-shot examples. */
export interface FewshotTemplates {
  /** undefined: the task's messages ask the question. */
  readonly prompt: Template | undefined;
  readonly target: Template | undefined;
  readonly example: Template;
  /** The task's own question: two rows that produce the same one ask the same. */
  readonly asked: Template | MessagesTemplate;
}

/** Fields that an example's own template may read. */
export const exampleFields: ReadonlySet<string> = new Set(["prompt", "target"]);

/** Parses the templates of a task's examples; `own` is the question of the task itself. */
export function parseFewshot(spec: FewshotSpec, own: TaskQuestion): FewshotTemplates {
  const { prompt_template: prompt, target_template: target } = spec;
  return {
    asked: own.messages ? parseMessages(own.messages) : parseTemplate(own.prompt_template),
    prompt: prompt === undefined ? undefined : parseTemplate(prompt),
    target: target === undefined ? undefined : parseTemplate(target),
    example: parseTemplate(spec.example_template),
  };
}

/** A row with its answer, as candidates are shown it. */
interface Example {
  /** A hash of the row, and its question: a case is never shown its own answer. */
  readonly content: string;
  readonly asked: string;
  /** The values of its row, without the names of the fields. */
  readonly values: ReadonlySet<string>;
  readonly text: string;
  /** For a task with messages: the question and the answer. */
  readonly messages?: readonly Message[];
}

/** A case that needs examples. */
export interface FewshotRequest {
  readonly content: string;
  /** Its prompt, without examples. */
  readonly prompt: string;
  /** The texts of the fields that its prompt uses. */
  readonly values: readonly string[];
}

interface ExampleValues {
  readonly choices: readonly string[];
  /** Adds the known facts of an image's file. */
  readonly knownImage?: (part: ImagePart) => ImagePart;
}

/** Renders the rows that were chosen as examples. */
export function renderExamples(
  rows: readonly Pick<Case, "row" | "content">[],
  templates: FewshotTemplates,
  { choices, knownImage = (part) => part }: ExampleValues,
): readonly Example[] {
  const { prompt, target, example } = templates;
  const renderOne = (row: Row): Pick<Example, "text" | "messages"> => {
    const answer = target === undefined ? "" : render(target, { row, choices });
    if ("start" in templates.asked) {
      const { asked: own } = templates;
      const messages = exampleMessages(row, { asked: own, prompt, answer, choices, knownImage });
      return { text: textOfMessages(messages), messages };
    }
    const asked = prompt === undefined ? "" : render(prompt, { row, choices });
    return { text: render(example, { row: { prompt: asked, target: answer }, choices }) };
  };
  const ask = (row: Row): string => plain(questionOf(row, templates, choices));
  // A prompt that uses no field of its row can't show that two cases are the same.
  const blank = ask({});
  const question = (row: Row): string => {
    const own = ask(row);
    return own === blank ? "" : own;
  };
  return rows.map(({ row, content }) => ({
    content,
    asked: question(row),
    values: new Set(textsWithin(row).map(plain)),
    ...renderOne(row),
  }));
}

function questionOf(row: Row, { asked }: FewshotTemplates, choices: readonly string[]): string {
  if (!("start" in asked)) return render(asked, { row, choices });
  const made = renderMessages(asked, { row, choices });
  return "complaint" in made ? "" : textOfMessages([...made.messages, ...made.turns]);
}

interface AnsweredExample extends ExampleValues {
  readonly asked: MessagesTemplate;
  readonly prompt: Template | undefined;
  readonly answer: string;
}

/**
 * The row's question, without the instructions, which the case already has, and the answer. A row without a question
 * gives no example.
 */
function exampleMessages(
  row: Row,
  { asked, prompt, answer, choices, knownImage = (part) => part }: AnsweredExample,
): readonly Message[] {
  const answered: Message = { role: "assistant", content: answer };
  if (prompt !== undefined)
    return [{ role: "user", content: render(prompt, { row, choices }) }, answered];
  const made = renderMessages(asked, { row, choices });
  if ("complaint" in made) return [];
  const { messages } = withImages(made, knownImage);
  return [...messages.filter((message) => !isInstruction(message)), answered];
}

/** The texts of the fields that a prompt uses, without empty ones. */
export function askedValues(prompt: Template, row: Row): readonly string[] {
  const texts = [...templateFields(prompt).names].map((name) => valueText(readField(row, name)));
  return texts.filter((text) => text.trim() !== "");
}

/** A question without differences in white space and capitals. */
function plain(question: string): string {
  return question.replaceAll(/\s+/g, " ").trim().toLowerCase();
}

/**
 * The `count` examples that go before a case. If one of them is the case itself, or asks the same, another takes its
 * place if there is one: `examples` has one more than needed for that. An example asks the same if its row produces the
 * same prompt as the case, or if its row has every value that the case's prompt uses, under whatever field names.
 */
export function chooseBefore(
  examples: readonly Example[],
  count: number,
): (own: FewshotRequest) => readonly Example[] {
  const contents = new Set(examples.map(({ content }) => content));
  const questions = new Set(examples.map(({ asked }) => asked));
  const said = new Set(examples.flatMap(({ values }) => [...values]));
  const usual = examples.slice(0, count);
  return ({ content, prompt, values }) => {
    if (examples.length === 0) return usual;
    const own = plain(prompt);
    const parts = values.map(plain);
    const isSaid = parts.length > 0 && parts.every((part) => said.has(part));
    if (!contents.has(content) && !questions.has(own) && !isSaid) return usual;
    const isSame = (example: Example): boolean =>
      example.content === content ||
      example.asked === own ||
      (isSaid && parts.every((part) => example.values.has(part)));
    return examples.filter((example) => !isSame(example)).slice(0, count);
  };
}

/**
 * As `chooseBefore`, as the text before a prompt: the examples, each followed by the separator. The default examples
 * are joined only once.
 */
export function beforePrompt(
  examples: readonly Example[],
  { count, separator }: FewshotSpec,
): (own: FewshotRequest) => string {
  const join = (shown: readonly Example[]): string =>
    shown.map(({ text }) => text + separator).join("");
  const choose = chooseBefore(examples, count);
  const usual = examples.slice(0, count);
  const usualText = join(usual);
  return (own) => {
    const shown = choose(own);
    return shown.every((each, i) => each === usual[i]) ? usualText : join(shown);
  };
}

/** Inserts examples after the instructions at the start of a conversation. */
export function insertExamples(
  messages: readonly Message[],
  shown: readonly Example[],
): readonly Message[] {
  const first = messages.findIndex((message) => !isInstruction(message));
  const at = first === -1 ? messages.length : first;
  const between = shown.flatMap((example) => example.messages ?? []);
  return [...messages.slice(0, at), ...between, ...messages.slice(at)];
}

function isInstruction({ role }: Message): boolean {
  return role === "system" || role === "developer";
}
