import { baselineTexts } from "./problems/baseline.ts";
import { calibrateTexts } from "./problems/calibrate.ts";
import { candidateTexts } from "./problems/candidate.ts";
import { commandTexts } from "./problems/command.ts";
import { datasetTexts } from "./problems/dataset.ts";
import { extractionTexts } from "./problems/extraction.ts";
import { foreignTexts } from "./problems/foreign.ts";
import { gateTexts } from "./problems/gate.ts";
import { graderTexts } from "./problems/grader.ts";
import { initTexts } from "./problems/init.ts";
import { kEvalTexts } from "./problems/k-eval.ts";
import { manifestTexts } from "./problems/manifest.ts";
import { modelTexts } from "./problems/model.ts";
import { platformTexts } from "./problems/platform.ts";
import { policyTexts } from "./problems/policy.ts";
import { preprocessTexts } from "./problems/preprocess.ts";
import { providerTexts } from "./problems/provider.ts";
import { remoteTexts } from "./problems/remote.ts";
import { resultTexts } from "./problems/results.ts";
import { runTexts } from "./problems/run.ts";
import type { Said } from "./problems/said.ts";
import { shardTexts } from "./problems/shard.ts";
import { sygraTexts } from "./problems/sygra.ts";
import { wazaTexts } from "./problems/waza.ts";

/**
 * Every text of a refusal, by code: what was found, and what to do. Without a prototype V8 makes this large object in a
 * twentieth of the time, 1 ms of each start.
 */
const texts = {
  __proto__: null,
  ...baselineTexts,
  ...calibrateTexts,
  ...candidateTexts,
  ...commandTexts,
  ...datasetTexts,
  ...extractionTexts,
  ...foreignTexts,
  ...gateTexts,
  ...graderTexts,
  ...initTexts,
  ...kEvalTexts,
  ...manifestTexts,
  ...modelTexts,
  ...platformTexts,
  ...policyTexts,
  ...preprocessTexts,
  ...providerTexts,
  ...remoteTexts,
  ...resultTexts,
  ...runTexts,
  ...shardTexts,
  ...sygraTexts,
  ...wazaTexts,
};

type Texts = Omit<typeof texts, "__proto__">;
type ProblemCode = keyof Texts;
type Found = { [Code in ProblemCode]: Parameters<Texts[Code]>[0] };
const table: { [Code in ProblemCode]: (found: Found[Code]) => Said } = texts;

/** Position of a problem. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** Path in the document: `tasks[0].grader.file`. */
  readonly path?: string;
}

/** One problem of an input, as data: worded once, printed by the entry points. */
export interface Problem {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint: string | undefined;
  readonly place: Place | undefined;
  /** The missing environment variable, if nothing else is wrong. */
  readonly missing?: string;
  /** Number of further problems of the file that this one stands for. */
  readonly more?: number;
}

/** A problem with its text. Pass undefined for a text without details. */
export function problem<Code extends ProblemCode>(
  code: Code,
  found: Found[Code],
  place?: Place,
): Problem {
  const { message, hint, missing, more } = table[code](found);
  return {
    code,
    message,
    hint,
    place,
    ...(missing !== undefined && { missing }),
    ...(more !== undefined && { more }),
  };
}

/** Number of problems, with those that are counted and not listed. */
export function countProblems(problems: readonly Problem[]): number {
  return problems.reduce((sum, { more = 1 }) => sum + more, 0);
}

/**
 * The only error class: an input or an environment that Regrade can't work with, with all of its problems at once. Any
 * other thrown error is a bug of Regrade.
 */
export class Refusal extends Error {
  readonly problems: readonly Problem[];
  /** 2: the user can fix the input. 4: the environment failed (a full disk, for example). 130: the user stopped it. */
  readonly exit: 2 | 4 | 130;

  constructor(
    problems: Problem | readonly Problem[],
    options: { readonly cause?: unknown; readonly exit?: 2 | 4 | 130 } = {},
  ) {
    const all = "code" in problems ? [problems] : problems;
    super(all.map(formatProblem).join("\n"), { cause: options.cause });
    this.name = "Refusal";
    this.problems = all;
    this.exit = options.exit ?? 2;
  }
}

/** `evals/suite.yaml:4:3: tasks[0].dataset: no such file … (what to do)`. */
export function formatProblem({ message, hint, place }: Problem): string {
  const where =
    place && [place.file, place.line, place.column].filter((part) => part !== undefined);
  const head = [where?.join(":"), place?.path].filter((part) => part !== undefined && part !== "");
  const text = [...head, message].join(": ");
  return hint === undefined ? text : `${text}\n  ${hint}`;
}
