import { describe, expect, it } from "vitest";
import type { MetricSpec } from "../../src/model/definition/suite.ts";
import { describeSymptom } from "../../src/report/words/symptoms.ts";
import {
  type Evidence,
  findUnexpectedScores,
  findSymptoms,
  type GraderFailure,
  type TaskFacts,
} from "../../src/gate/symptoms.ts";

const accuracy: MetricSpec = {
  id: "accuracy",
  aggregation: "mean",
  higher_is_better: true,
  range: [0, 1],
  scale: null,
};
const nothing: Evidence = {
  looked: 40,
  answered: 40,
  unanswered: null,
  nothingExtracted: 0,
  targetsEmpty: 0,
  emptyFields: {},
  otherCase: 0,
  sameNumber: 0,
  failures: [],
};

type Changes = Partial<Omit<TaskFacts, "evidence">> & { readonly evidence?: Partial<Evidence> };

function facts(changes: Changes): TaskFacts {
  return {
    task: "qa",
    candidate: "main",
    grader: "python",
    calls: "grade",
    extraction: "none",
    declared: [accuracy],
    scores: { accuracy: { scored: 40, zeros: 10, low: 0, high: 1 } },
    strays: [],
    ...changes,
    evidence: { ...nothing, ...changes.evidence },
  };
}

function failed(type: string, message = "it broke", count = 12): { failures: GraderFailure[] } {
  const isGraders = ["exception", "bad_result", "timeout", "model_refused"].includes(type);
  return { failures: [{ type, message, count, fault: isGraders ? "grader" : "infra" }] };
}

function unanswered(count: number, message = "exit code 2"): Partial<Evidence> {
  return { unanswered: { count, message } };
}

const stray = { metric: "score", range: [0, 1], first: 3, alike: true, count: 4 } as const;
const allZero = { accuracy: { scored: 40, zeros: 40, low: 0, high: 1 } };

describe("a run's symptoms", () => {
  it.each<[string, Changes, readonly string[]]>([
    ["nothing is wrong", {}, []],
    ["a candidate that failed often", { evidence: unanswered(4) }, ["candidate_failed"]],
    ["one that failed now and then", { evidence: unanswered(3) }, []],
    ["one that failed once", { evidence: { looked: 5, ...unanswered(1) } }, []],
    [
      "one that failed always",
      { scores: {}, evidence: { looked: 1, ...unanswered(1) } },
      ["candidate_failed"],
    ],
    ["scores out of bounds", { strays: [stray] }, ["score_out_of_bounds"]],
    ["every score is 0", { scores: allZero }, ["always_zero"]],
    [
      "few zeros are chance",
      { scores: { accuracy: { scored: 4, zeros: 4, low: 0, high: 1 } } },
      [],
    ],
    [
      "zeros are good where lower is better",
      { scores: allZero, declared: [{ ...accuracy, higher_is_better: false }] },
      [],
    ],
    [
      "an extraction that finds nothing explains the zeros",
      { scores: allZero, extraction: "number", evidence: { nothingExtracted: 38 } },
      ["nothing_extracted"],
    ],
    [
      "one that often finds something is the candidate's",
      { evidence: { nothingExtracted: 20 } },
      [],
    ],
    [
      "near misses of exact_match",
      { grader: "exact_match", evidence: { otherCase: 5, sameNumber: 2 } },
      ["other_case", "same_number"],
    ],
    ["one near miss is an accident", { grader: "exact_match", evidence: { otherCase: 1 } }, []],
    ["another grader's near misses are its own choice", { evidence: { otherCase: 9 } }, []],
    [
      "fields and targets that are always empty",
      { scores: allZero, evidence: { emptyFields: { question: 40, hint: 39 }, targetsEmpty: 40 } },
      ["target_empty", "field_empty"],
    ],
    [
      "scores that nobody declared",
      { scores: { exact_match: { scored: 40, zeros: 3, low: 0, high: 1 } } },
      ["undeclared"],
    ],
    ["a grader that raised", { scores: {}, evidence: failed("exception") }, ["never_scored"]],
    [
      "one of several graders that raised, whose metrics are not misspelt",
      {
        declared: [accuracy, { ...accuracy, id: "tone" }, { ...accuracy, id: "tone.words" }],
        grader: "several",
        scores: {
          accuracy: { scored: 40, zeros: 10, low: 0, high: 1 },
          "accuracy.passed": { scored: 40, zeros: 10, low: 0, high: 1 },
        },
        evidence: { parts: { tone: { count: 40, message: "KeyError: 'x'" } } },
      },
      ["part_never_scored"],
    ],
    ["not a single score", { scores: {}, evidence: failed("bad_result") }, ["never_scored"]],
    ["some invalid results are told elsewhere", { evidence: failed("bad_result") }, []],
    ["time-outs", { evidence: failed("timeout") }, ["timeouts"]],
    [
      "a metric that nobody gives",
      { declared: [accuracy, { ...accuracy, id: "tone" }], grader: "python" },
      ["never_given"],
    ],
    [
      "a built-in grader's that measured nothing",
      { declared: [accuracy, { ...accuracy, id: "e" }], grader: "numeric" },
      [],
    ],
    [
      "a call that was written wrongly",
      { scores: {}, evidence: failed("exception", "TypeError: ctx.embeddings_create takes …") },
      ["model_refused"],
    ],
    ["a call that was refused", { evidence: failed("model_refused") }, ["model_refused"]],
    [
      "a call that was refused, and a score for it",
      { evidence: { scoredUnanswered: { count: 3, message: "no" } } },
      ["model_refused"],
    ],
    ["a model's provider that failed", { evidence: failed("server_error") }, ["model_silent"]],
    ["a slow model", { evidence: failed("model_timeout") }, ["model_silent"]],
    ["our own host", { evidence: failed("host_not_started") }, []],
    ["a judge without a verdict", { evidence: failed("judge_off_menu") }, ["judge_failed"]],
  ])("%s", (_, changes, expected) => {
    expect(findSymptoms(facts(changes)).map(({ kind }) => kind)).toEqual(expected);
  });

  it("are told with their way out, and without texts of samples", () => {
    const found = [
      facts({ scores: allZero }),
      facts({ extraction: "regex", evidence: { nothingExtracted: 40 } }),
      facts({ grader: "exact_match", evidence: { otherCase: 5, sameNumber: 2 } }),
      facts({ evidence: { emptyFields: { question: 40 }, targetsEmpty: 40 } }),
      facts({ scores: { exact_match: { scored: 40, zeros: 3, low: 0, high: 1 } } }),
      facts({ scores: {}, evidence: failed("bad_result", "grade returned the text 'SECRET'", 40) }),
      facts({ scores: {}, evidence: failed("exception", "SECRET", 40) }),
      facts({ scores: {}, calls: "grade_batch", evidence: failed("exception", "SECRET", 40) }),
      facts({ scores: {}, calls: "grade_batch", evidence: failed("bad_result", "SECRET", 40) }),
      facts({ evidence: unanswered(40, "exit code 2: SECRET") }),
      facts({ strays: [stray, { ...stray, alike: false }, { ...stray, count: null }] }),
      facts({ strays: [{ ...stray, range: null, first: 0.5 }] }),
      facts({ evidence: failed("timeout") }),
      facts({ evidence: failed("model_refused", "SECRET", 40) }),
      facts({ evidence: { scoredUnanswered: { count: 3, message: "SECRET" } } }),
      facts({ evidence: failed("server_error", "SECRET") }),
      facts({ evidence: failed("model_timeout", "SECRET") }),
      facts({ evidence: failed("judge_unreachable", "SECRET") }),
      facts({ evidence: failed("judge_refused", "SECRET") }),
      facts({ grader: "python", declared: [accuracy, { ...accuracy, id: "tone" }] }),
      facts({ scores: { "a b": { scored: 40, zeros: 3, low: 0, high: 1 } } }),
      facts({ scores: { acuracy: { scored: 40, zeros: 3, low: 0, high: 7 } } }),
    ].flatMap((each) => findSymptoms(each).map((symptom) => describeSymptom(symptom, each)));
    const messages = found.map(({ message }) => message).join("\n");
    expect(messages).not.toContain("SECRET");
    expect(messages).toMatchInlineSnapshot(`
      "all 40 scores of \`accuracy\` are 0: compare \`extracted_output\` with \`target\` in samples.jsonl, and check that the grader looks at what the answers hold
      \`output_extraction\` (regex) found nothing in all 40 answers, which then count as wrong: see \`output_text\` in samples.jsonl, and check that there is an answer, and that the extraction fits it
      5 of 40 samples scored 0 though the answer is the target but for upper and lower case: if that should count, set \`case_sensitive: false\` on the grader
      2 of 40 samples scored 0 though the answer is the target's number, written otherwise (as 51 and 51.0): take the grader \`numeric\`
      the target is empty in all 40 samples: check the fields that \`target_template\` names against the dataset, and what a preprocessor returns
      the prompt's field \`question\` is empty in all 40 samples: check its name against the dataset, and what a preprocessor returns
      the grader returns \`exact_match\` and never \`accuracy\`: declare what it returns under \`metrics\`, as \`- { id: exact_match, range: [0, 1] }\`
      the grader scored none of 40 samples: \`grade\` must return a finite number, or a dict whose \`scores\` holds finite numbers
      the grader raised in all 40 samples: correct \`grade\` at the line that \`error\` in samples.jsonl names
      the grader scored none of 40 samples: \`grade_batch\` raised an exception; correct it at the line that \`error\` in samples.jsonl names
      the grader scored none of 40 samples: \`grade_batch\` must return a finite number, or a dict with \`metrics\` or \`samples\`
      the candidate gave no answer in all 40 samples: put right what the first error says; \`error\` in samples.jsonl has them all
      \`score\` was 3 in 4 samples, outside its range [0, 1]: let the grader return what lies within, or declare the \`range\` that its scores have
      \`score\` was 3 and others in 4 samples, outside its range [0, 1]: let the grader return what lies within, or declare the \`range\` that its scores have
      \`score\` is 3 for all samples together, outside its range [0, 1]: let the grader return what lies within, or declare the \`range\` that its scores have
      \`score\` was 0.5 in 4 samples, neither 0 nor 1 as \`scale: binary\` has it: let the grader return 0 or 1, or declare \`scale: graded\`
      the grader ran out of time in 12 of 40 samples: raise \`timeout_seconds\` (600 at most), ask models less often, or move work that is the same for all samples to the top level of its file
      a call of the grader to a model was refused in all 40 samples: do what the refusal says; \`error\` in samples.jsonl has it for each
      the grader gave a score in 3 of 40 samples though a model had refused its call: correct the call as the refusal says (\`model_calls\` in samples.jsonl), and don't turn an exception of \`ctx\` into a score
      no model answered the grader in 12 of 40 samples, which have no score: that is its provider's trouble, not the candidate's or the grader's; when what the first error says is over, \`regrade rerun-failed\` asks for these alone
      a model that the grader asks had not answered in 12 of 40 samples when the grader's time was over, and they have no score: raise the grader's \`timeout_seconds\` (600 at most), or ask a faster model; \`regrade rerun-failed\` then asks for these alone
      the judge could not be asked in 12 of 40 samples, which have no score: put right what the first error says, at \`run.judge_model\` or in the judge's settings
      the judge gave no verdict in 12 of 40 samples, which have no score: let \`run.judge_model\` be a model that writes structured output, and raise the judge's \`max_output_tokens\` if it was cut off
      the grader never returns \`tone\`, which \`metrics\` declares: return it, or take it out of \`metrics\`
      the grader returns \`a b\` and never \`accuracy\`: return the score as \`accuracy\`; an id has letters, digits, \`_\`, \`.\` and \`-\` alone
      the grader returns \`acuracy\` and never \`accuracy\`: declare what it returns under \`metrics\`, as \`- { id: acuracy }\`"
    `);
  });

  it.each([
    ["no answer within 2 s (timeout_seconds)", "print(…, flush=True)"],
    ["exit code 1: KeyError: 'MY_KEY' at <frozen os>:679", "that its `env` names"],
  ])("says what a usual first error of a program means: %s", (detail, meaning) => {
    const symptom = { kind: "candidate_failed", share: { count: 12, of: 12 }, detail } as const;
    const { message } = describeSymptom(symptom, { task: "qa", candidate: "app" });
    expect(message).toContain(meaning);
    expect(message).not.toContain("MY_KEY");
  });
});

describe("scores that a declaration rules out", () => {
  const score = { id: "score", range: [0, 1], scale: "binary" } as const;
  const graded = { ...score, scale: null };

  it.each([
    { title: "fit", metric: score, scores: [0, 1, 1], expected: undefined },
    {
      title: "are beyond the range",
      metric: score,
      scores: [3, 0.5, 1, 3],
      expected: { ...stray, count: 2 },
    },
    {
      title: "are not alike",
      metric: score,
      scores: [-1, 3],
      expected: { ...stray, first: -1, alike: false, count: 2 },
    },
    {
      title: "are no bits",
      metric: score,
      scores: [0.5, 1],
      expected: { ...stray, range: null, first: 0.5, count: 1 },
    },
    { title: "lie between", metric: graded, scores: [0.5], expected: undefined },
    {
      title: "have no bounds",
      metric: { ...graded, range: null },
      scores: [3],
      expected: undefined,
    },
    { title: "were rounded", metric: graded, scores: [1.0000000000000002], expected: undefined },
  ])("$title", ({ metric, scores, expected }) => {
    expect(findUnexpectedScores(metric, scores)).toEqual(expected);
  });
});

it("quotes the first error of a candidate, where details may be shown", () => {
  const words = "exit code 2: can't open file 'missing.py'";
  const told = findSymptoms(facts({ evidence: unanswered(40, words) })).map((symptom) =>
    describeSymptom(symptom, { task: "qa", candidate: "main" }),
  );
  expect(told).toMatchObject([{ symptom: "candidate_failed", detail: words }]);
});
