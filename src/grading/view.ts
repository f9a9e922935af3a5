import { parseJsonText } from "../base/json-text.ts";
import type { Grader } from "../model/grading.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";

/** A grader's own extracted field and target; undefined: the task's. */
interface GraderView {
  /** The name of an extracted field. */
  readonly field?: string | undefined;
  /** The name under which samples have a target of the grader's own. */
  readonly target?: string | undefined;
}

/** A grader that reads a sample through a view. */
export function withView(grader: Grader, view: GraderView): Grader {
  const { field, target } = view;
  if (field === undefined && target === undefined) return grader;
  const { grade, gradeBatch } = grader;
  return {
    ...grader,
    grade: (sample, item, answerOf) =>
      grade(
        { ...sample, ...outputOf(sample.extracted_fields, field) },
        { ...item, ...targetOf(sample.targets, target) },
        answerOf,
      ),
    ...(gradeBatch && {
      gradeBatch: (about, samples) =>
        gradeBatch(about, { [Symbol.asyncIterator]: () => viewedSamples(samples, view) }),
    }),
  };
}

type Named = Readonly<Record<string, string | null>>;

function outputOf(
  fields: Named | undefined,
  name: string | undefined,
): { readonly extracted_output?: string | null } {
  return name === undefined ? {} : { extracted_output: fields?.[name] ?? null };
}

function targetOf(
  targets: Named | undefined,
  name: string | undefined,
): { readonly target?: string | null } {
  return name === undefined ? {} : { target: targets?.[name] ?? null };
}

/** Lines of `BatchSample`s; numbers of their rows stay as they were written. */
async function* viewedSamples(
  lines: AsyncIterable<string>,
  { field, target }: GraderView,
): AsyncGenerator<string> {
  for await (const line of lines) {
    const parsed = parseJsonText(line);
    if (parsed.kind !== "json" || !isJsonObject(parsed.value))
      throw new TypeError("a sample of a batch is no JSON object");
    const { extracted_fields: fields, targets } = parsed.value;
    yield JSON.stringify({
      ...parsed.value,
      ...outputOf(namedIn(fields), field),
      ...targetOf(namedIn(targets), target),
    } satisfies JsonObject);
  }
}

function namedIn(value: unknown): Named {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([name, text]) => (typeof text === "string" ? [[name, text] as const] : [])),
  );
}
