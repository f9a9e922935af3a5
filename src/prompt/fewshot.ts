import type { Case, Row } from "../model/sample.ts";
import type { FewshotSpec } from "../model/suite.ts";
import { parseTemplate, render, type Template } from "./template.ts";

/** The templates of few-shot examples, read. */
export interface FewshotTemplates {
  readonly prompt: Template;
  readonly target: Template | undefined;
  readonly example: Template;
  /** The task's own: two rows that it asks alike are one question. */
  readonly asked: Template;
}

/** What an example's own template may read. */
export const exampleFields: ReadonlySet<string> = new Set(["prompt", "target"]);

export function parseFewshot(spec: FewshotSpec, ownTemplate: string): FewshotTemplates {
  return {
    asked: parseTemplate(ownTemplate),
    prompt: parseTemplate(spec.prompt_template),
    target: spec.target_template === undefined ? undefined : parseTemplate(spec.target_template),
    example: parseTemplate(spec.example_template),
  };
}

/** A row as candidates are shown it, with its answer. */
export interface Example {
  /** A hash of the row, and its question: a case is never shown its own answer. */
  readonly content: string;
  readonly asked: string;
  readonly text: string;
}

/** A case that examples go before. */
export interface FewshotRequest {
  readonly content: string;
  /** Its prompt, without examples. */
  readonly prompt: string;
}

/** Renders the rows that were chosen as examples. */
export function renderExamples(
  rows: readonly Pick<Case, "row" | "content">[],
  { prompt, target, example, asked }: FewshotTemplates,
  choices: readonly string[],
): readonly Example[] {
  const renderOne = (row: Row): string => {
    const answer = target === undefined ? "" : render(target, { row, choices });
    const values = { prompt: render(prompt, { row, choices }), target: answer };
    return render(example, { row: values, choices });
  };
  // A prompt without a word of its row says of no two cases that they are one.
  const blank = plain(render(asked, { row: {}, choices }));
  const question = (row: Row): string => {
    const own = plain(render(asked, { row, choices }));
    return own === blank ? "" : own;
  };
  return rows.map(({ row, content }) => ({ content, asked: question(row), text: renderOne(row) }));
}

/** A question whatever its white space and capitals. */
function plain(question: string): string {
  return question.replaceAll(/\s+/g, " ").trim().toLowerCase();
}

/**
 * What goes before a case's prompt: `count` examples, each followed by the separator. Where one of them is the case, or asks the same,
 * another takes its place, as far as there is one: `examples` has one more than needed for that.
 */
export function beforePrompt(
  examples: readonly Example[],
  { count, separator }: Pick<FewshotSpec, "count" | "separator">,
): (own: FewshotRequest) => string {
  const contents = new Set(examples.map(({ content }) => content));
  const questions = new Set(examples.map(({ asked }) => asked));
  const joined = (shown: readonly Example[]): string =>
    shown
      .slice(0, count)
      .map(({ text }) => text + separator)
      .join("");
  const usual = joined(examples);
  return ({ content, prompt }) => {
    if (examples.length === 0) return "";
    const own = plain(prompt);
    if (!contents.has(content) && !questions.has(own)) return usual;
    return joined(
      examples.filter((example) => example.content !== content && example.asked !== own),
    );
  };
}
