import { builtinProviders } from "../../model/models/providers.ts";
import { nearest } from "../../base/nearest.ts";
import { problem, type Problem } from "../../model/refusal.ts";

/** The graders that need only a target. */
export const starterGraders = ["exact_match", "contains", "numeric", "token_f1"] as const;
export type StarterGrader = (typeof starterGraders)[number];

/** A parsed answer, or its problem. */
export type Read<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "wrong"; readonly problem: Problem };

/** Reads the name of a suite. */
export function readName(name: string): Read<string> {
  // The same pattern as in the manifest's schema.
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/.test(name)) return read(name);
  return wrong(problem("init_name", { name }));
}

/** Reads the name of a grader. `numeric` needs data of one's own, because the example's answers are no numbers. */
export function readGrader(grader: string, hasOwnData: boolean): Read<StarterGrader> {
  const known = starterGraders.find((each) => each === grader);
  if (known === "numeric" && !hasOwnData) return wrong(problem("init_grader_numbers", undefined));
  if (known !== undefined) return read(known);
  const found = { grader, known: starterGraders, nearest: nearest(grader, starterGraders) };
  return wrong(problem("init_grader", found));
}

export type ReadCandidate =
  | { readonly kind: "command" }
  | {
      readonly kind: "model";
      readonly model: string;
      readonly keyEnv: string | undefined;
      /** True if each customer has a separate address. */
      readonly ownAddress: boolean;
    };

/** Reads a candidate: `command`, or `provider:model` with a built-in provider. */
export function readCandidate(candidate: string): Read<ReadCandidate> {
  if (candidate === "command") return read({ kind: "command" });
  const [, id = "", name = ""] = /^([^:\s]+):(\S.*)$/.exec(candidate) ?? [];
  if (name === "") return wrong(problem("init_candidate", { candidate }));
  const provider = Object.entries(builtinProviders).find(([known]) => known === id)?.[1];
  if (provider === undefined) {
    const known = Object.keys(builtinProviders);
    return wrong(problem("init_provider", { provider: id, known, nearest: nearest(id, known) }));
  }
  const { api_key_env: keyEnv, base_url: address } = provider;
  return read({ kind: "model", model: candidate, keyEnv, ownAddress: address === undefined });
}

/** Reads a template and checks that the data have its fields. A dotted name reads within a field. */
export function readTemplate(
  template: string,
  flag: string,
  fields: ReadonlySet<string>,
): Read<string> {
  if (template.trim() === "") return wrong(problem("init_template_empty", { flag }));
  const used = [...template.matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g)].map(([, name = ""]) => name);
  const unknown = used.find((name) => !isField(name, fields));
  if (unknown === undefined) return read(template);
  const known = [...fields];
  const found = { field: unknown, known, nearest: nearest(unknown, known) };
  return wrong(problem("init_field_unknown", found));
}

function isField(name: string, fields: ReadonlySet<string>): boolean {
  const [head = ""] = name.split(".");
  return fields.has(name) || fields.has(head) || name === "row";
}

/** A suite's name, derived from its folder's name. */
export function nameOf(folder: string): string {
  const slug = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]+/g, "-")
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, "");
  return readName(slug).kind === "read" ? slug : "first";
}

const promptNames = ["prompt", "question", "input", "query", "text", "body", "ticket", "message"];
const targetNames = [
  "target",
  "answer",
  "label",
  "expected",
  "reference",
  "output",
  "gold",
  "class",
];

/** The templates that the names of the data's fields suggest. */
export function guessTemplates(
  fields: ReadonlySet<string>,
  idField = "id",
): { readonly prompt: string; readonly target: string } {
  const names = [...fields].filter((name) => name !== idField);
  const target = named(names, targetNames) ?? names.at(-1) ?? "";
  const asked = names.filter((name) => name !== target);
  return {
    prompt: `{{${named(asked, promptNames) ?? asked[0] ?? target}}}`,
    target: `{{${target}}}`,
  };
}

/** The field that fits the list best: an exact name (`answer`) comes before a longer one (`answer_text`). */
function named(fields: readonly string[], telling: readonly string[]): string | undefined {
  const exact = telling.flatMap((name) => fields.find((each) => each.toLowerCase() === name) ?? []);
  const within = telling.flatMap(
    (name) => fields.find((each) => each.toLowerCase().includes(name)) ?? [],
  );
  return exact[0] ?? within[0];
}

function read<T>(value: T): Read<T> {
  return { kind: "read", value };
}

function wrong(found: Problem): { readonly kind: "wrong"; readonly problem: Problem } {
  return { kind: "wrong", problem: found };
}
