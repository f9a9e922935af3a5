import type { Case, Row } from "../domain/sample.ts";
import type { FewshotSpec } from "../domain/suite.ts";
import { parseTemplate, render, type Template } from "./template.ts";

/** The templates of few-shot examples, read. */
export interface FewshotTemplates {
  readonly prompt: Template;
  readonly target: Template | undefined;
  readonly example: Template;
}

/** What an example's own template may read. */
export const exampleFields: ReadonlySet<string> = new Set(["prompt", "target"]);

export function parseFewshot(spec: FewshotSpec): FewshotTemplates {
  return {
    prompt: parseTemplate(spec.prompt_template),
    target: spec.target_template === undefined ? undefined : parseTemplate(spec.target_template),
    example: parseTemplate(spec.example_template),
  };
}

/** A row as candidates are shown it, with its answer. */
export interface Example {
  /** A hash of the row: a case is never shown its own answer. */
  readonly content: string;
  readonly text: string;
}

/** Renders the rows that were chosen as examples. */
export function renderExamples(
  rows: readonly Pick<Case, "row" | "content">[],
  { prompt, target, example }: FewshotTemplates,
  choices: readonly string[],
): readonly Example[] {
  const renderOne = (row: Row): string => {
    const answer = target === undefined ? "" : render(target, { row, choices });
    const values = { prompt: render(prompt, { row, choices }), target: answer };
    return render(example, { row: values, choices });
  };
  return rows.map(({ row, content }) => ({ content, text: renderOne(row) }));
}

/**
 * What goes before a case's prompt: `count` examples, each followed by the separator. Where the case is one of them, another
 * takes its place: `examples` has one more than needed for that.
 */
export function beforePrompt(
  examples: readonly Example[],
  { count, separator }: Pick<FewshotSpec, "count" | "separator">,
): (content: string) => string {
  const contents = new Set(examples.map(({ content }) => content));
  const joined = (shown: readonly Example[]): string =>
    shown
      .slice(0, count)
      .map(({ text }) => text + separator)
      .join("");
  const usual = joined(examples);
  return (content) =>
    contents.has(content)
      ? joined(examples.filter((example) => example.content !== content))
      : usual;
}
