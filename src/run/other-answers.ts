import type { AnswerOf, OtherAnswer } from "../model/grading.ts";
import type { Generated } from "../model/models/candidate.ts";
import type { Sample } from "../model/outcomes/sample.ts";
import type { RunContext } from "./context.ts";
import { type PlannedSample, sampleIdFor } from "./plan.ts";

/** The answers of all candidates to the cases in progress, for graders that compare two of them. */
export interface OtherAnswers {
  /** The sample is started, so that its answer will come. */
  readonly begin: (sample: PlannedSample) => void;
  readonly answered: (sample: PlannedSample, answer: Generated) => void;
  /** An earlier attempt finished the sample: its answer is read only on request. */
  readonly kept: (sample: PlannedSample) => void;
  readonly answerOf: (sample: PlannedSample) => AnswerOf | undefined;
  /** The sample needs no further answers. */
  readonly done: (sample: PlannedSample) => void;
  /** No more samples are started. */
  readonly close: () => void;
}

interface Waiting {
  readonly answer: Promise<OtherAnswer | "stored">;
  readonly settle: (answer: OtherAnswer | "stored") => void;
  isStarted: boolean;
}

/** A case and repeat, until all of its candidates are graded. */
interface OpenCase {
  readonly waiting: Map<string, Waiting>;
  left: number;
}

const notMade: OtherAnswer = { kind: "unavailable", message: "it was not asked in this run" };

/** Waits for the answers of the other candidates; undefined if there is only one candidate. */
export function createOtherAnswers(task: string, run: RunContext): OtherAnswers | undefined {
  if (run.candidates.length < 2) return undefined;
  const openCases = new Map<string, OpenCase>();
  let isClosed = false;
  const openCaseOf = (sample: PlannedSample): OpenCase => {
    const openCase = openCases.get(keyOf(sample)) ?? {
      waiting: new Map(),
      left: sample.beside.length,
    };
    openCases.set(keyOf(sample), openCase);
    return openCase;
  };
  const waitingFor = (openCase: OpenCase, candidate: string): Waiting => {
    const found = openCase.waiting.get(candidate) ?? waiting();
    openCase.waiting.set(candidate, found);
    return found;
  };
  const ownOf = (sample: PlannedSample): Waiting =>
    waitingFor(openCaseOf(sample), sample.candidate.id);
  return {
    begin: (sample) => {
      ownOf(sample).isStarted = true;
    },
    answered: (sample, answer) => ownOf(sample).settle(otherAnswer(answer)),
    kept: (sample) => ownOf(sample).settle("stored"),
    answerOf: (sample) => async (candidate) => {
      if (!sample.beside.includes(candidate)) return notMade;
      const other = waitingFor(openCaseOf(sample), candidate);
      if (isClosed && !other.isStarted) return notMade;
      const answer = await other.answer;
      if (answer !== "stored") return answer;
      return storedAnswer([task, candidate, sample.case.caseId, sample.repeat], run);
    },
    done: (sample) => {
      const openCase = openCaseOf(sample);
      openCase.left -= 1;
      if (openCase.left <= 0) openCases.delete(keyOf(sample));
    },
    close: () => {
      isClosed = true;
      for (const openCase of openCases.values())
        for (const each of openCase.waiting.values()) if (!each.isStarted) each.settle(notMade);
    },
  };
}

function keyOf({ case: { caseId }, repeat }: PlannedSample): string {
  return JSON.stringify([caseId, repeat]);
}

function waiting(): Waiting {
  const { promise, resolve } = Promise.withResolvers<OtherAnswer | "stored">();
  return { answer: promise, settle: resolve, isStarted: false };
}

function otherAnswer(answer: Generated): OtherAnswer {
  switch (answer.kind) {
    case "answered":
      return { kind: "answered", text: answer.outputText };
    case "refused":
    case "failed":
      return { kind: "failed" };
    case "unavailable":
    case "halted":
      return { kind: "unavailable", message: answer.message };
  }
}

/** The answer to an earlier attempt at this run. */
async function storedAnswer(
  identity: readonly (string | number)[],
  { store, tools }: RunContext,
): Promise<OtherAnswer> {
  const reader = await store.openSamples();
  try {
    return otherIn(await reader.read(sampleIdFor(tools.files.hashText)(identity)));
  } finally {
    await reader.close();
  }
}

/** A stored sample's answer, for comparison. */
export function otherIn(sample: Sample | undefined): OtherAnswer {
  if (sample?.error?.fault === "candidate") return { kind: "failed" };
  const text = sample?.output_text ?? null;
  return text === null ? notMade : { kind: "answered", text };
}
