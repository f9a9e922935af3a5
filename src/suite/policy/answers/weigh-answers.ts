import type { PolicyChange, ToldField } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";
import { allOf, type HeldAnswers } from "./held-answers.ts";

/** A file, and the cases whose answers it has newly beside their questions. */
export interface FileHolding {
  readonly path: string;
  readonly held: HeldAnswers;
}

interface Weighed {
  readonly told: readonly ToldField[];
  readonly notes: readonly PolicyChange[];
  /** All files that have answers beside their questions. */
  readonly holding: readonly string[];
  /** Those that are tests and documents which no program names. */
  readonly quoting: readonly string[];
}

interface Weighing {
  readonly here: readonly FileHolding[];
  /** Several files together, under a name for them. */
  readonly joined: readonly FileHolding[];
  readonly cases: number;
  /** Tests and documents that no program names. */
  readonly unnamed: ReadonlySet<string>;
}

/** This many encoded answers are hardly chance, and nobody writes examples in this form. */
const leastEncoded = 3;
/** Prompts usually show up to eight examples. */
const usualExamples = 8;

/** Tells files with more answers than examples have, and notes the others. Tests and documents may quote any number. Pure. */
export function weighAnswers(task: string, { here, joined, cases, unnamed }: Weighing): Weighed {
  const holding = [...here, ...joined].filter(({ held }) => countOf(held) > 0);
  const quotes = holding.filter(({ path, held }) => unnamed.has(path) && held.encoded.size === 0);
  const others = holding.filter((each) => !quotes.includes(each));
  const all = allOf(others.map(({ held }) => held));
  const allowed = Math.min(usualExamples, Math.max(2, Math.floor(cases / 10)));
  const isTable = countOf(all) > allowed || all.encoded.size >= Math.min(leastEncoded, cases);
  const told = others.map(({ path }) => ({ task, field: path, reader: "file" }) as const);
  const many = quotes.filter(({ held }) => countOf(held) > allowed);
  return {
    told: isTable ? told : [],
    notes: [
      ...(isTable ? [] : others.map((each) => exampleNote(task, each))),
      ...many.map((each) => quoteNote(task, each)),
    ],
    holding: holding.map(({ path }) => path),
    quoting: quotes.map(({ path }) => path),
  };
}

function countOf({ plain, encoded }: HeldAnswers): number {
  return plain.size + encoded.size;
}

function exampleNote(task: string, { path, held }: FileHolding): PolicyChange {
  const count = countOf(held);
  const note =
    count === 1
      ? `\`${path}\` has the answer of a case beside what it asks: fine as an example, but that case tests little then`
      : `\`${path}\` has the answers of ${count} cases beside what they ask: fine as examples, but those cases test little then`;
  return toldNote(note, { task });
}

function quoteNote(task: string, { path, held }: FileHolding): PolicyChange {
  const note = `\`${path}\` quotes ${countOf(held)} cases with their answers: fine in a test or document, and no program names it`;
  return toldNote(note, { task });
}

/** A note for a test or document that lists the answers of cases. */
export function listNote(task: string, path: string): PolicyChange {
  const note = `\`${path}\` has a list of the answers of cases: fine in a test or document, and no program names it`;
  return toldNote(note, { task });
}
