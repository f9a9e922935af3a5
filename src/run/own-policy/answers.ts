import { createDigestTable, shortDigest } from "../../ledger/digest-table.ts";
import { canonicalJson } from "../../model/json.ts";
import type { Candidate, GenerateRequest, Generated } from "../../model/models/candidate.ts";
import type { HashText } from "../../model/ports/files.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import type { Answer, RunStore } from "../../model/ports/store.ts";
import type { ResponseCache } from "../response-cache.ts";
import type { PreparedTask } from "../../suite/opening/open-task.ts";
import type { Tools } from "../../tools.ts";

/** A run whose samples are complete. */
interface AnsweredRun {
  readonly store: Pick<RunStore, "directory" | "openSamples">;
  readonly tasks: readonly PreparedTask[];
  /** The run's candidates; undefined: the current ones. */
  readonly candidates?: readonly Candidate[];
}

/**
 * Reuses the answers of a run for another run over the same candidates. They are found by candidate, prompt, fields and
 * repeat, the same case first. Failures count for both runs: a second try would judge other evidence. Missing answers
 * are looked up in `otherwise`.
 */
export async function answersOf(
  run: AnsweredRun,
  tools: Tools,
  otherwise: ResponseCache,
): Promise<ResponseCache> {
  const find = await indexAnswers(run, tools);
  const reader = await run.store.openSamples();
  return {
    get: async (candidate, request) => {
      // A recording answers by the case, and costs nothing; an agent with other files does other work.
      const isOther = candidate.recorded === true || !hasSameTerms(candidate, run.candidates);
      const id = isOther ? undefined : find(candidate.id, request);
      const sample = id === undefined ? undefined : await reader.read(id);
      return sample === undefined ? otherwise.get(candidate, request) : answerIn(sample);
    },
    put: otherwise.put,
    close: async () => {
      await reader.close();
      await otherwise.close();
    },
  };
}

function hasSameTerms({ id, terms }: Candidate, before: AnsweredRun["candidates"]): boolean {
  if (before === undefined) return true;
  return before.find((each) => each.id === id)?.terms === terms;
}

type Asked = Omit<GenerateRequest, "taskId">;

/** Finds the id of the sample with the same question. Memory holds a name and two digests of each. */
async function indexAnswers(
  { store, tasks }: AnsweredRun,
  { visitSamples, files }: Tools,
): Promise<(candidate: string, asked: Asked) => string | undefined> {
  const byId = new Map(tasks.map((task) => [task.spec.id, task]));
  const table = createDigestTable();
  const ids: string[] = [];
  for await (const sample of visitSamples(store.directory)) {
    const { model, case_id: caseId, prompt, repeat, task_id, dataset_row } = sample;
    const task = byId.get(task_id);
    const fields = task?.fieldsFor(model, dataset_row) ?? {};
    const toolResults = task?.toolResultsFor?.(dataset_row);
    const asked = { caseId, prompt, repeat, fields, ...(toolResults && { toolResults }) };
    const [precise, loose] = keysOf(model, asked, files.hashText);
    table.set(precise, ids.length);
    if (table.get(loose) === undefined) table.set(loose, ids.length);
    ids.push(sample.id);
  }
  return (candidate, asked) => {
    const [precise, loose] = keysOf(candidate, asked, files.hashText);
    const found = table.get(precise) ?? table.get(loose);
    return found === undefined ? undefined : ids[found];
  };
}

function keysOf(
  candidate: string,
  { caseId, prompt, fields, repeat, toolResults }: Asked,
  hashText: HashText,
): readonly [string, string] {
  const results = toolResults === undefined ? [] : [toolResults];
  const asked = canonicalJson([candidate, prompt, fields, repeat, ...results]);
  return [
    shortDigest(hashText(`${JSON.stringify(caseId)} ${asked}`)),
    shortDigest(hashText(asked)),
  ];
}

function answerIn(sample: Sample): Answer {
  return {
    generated: generatedIn(sample),
    latencyMs: sample.latency_ms ?? 0,
    createdAt: sample.created_at,
    cached: true,
  };
}

function generatedIn(sample: Sample): Generated {
  const { error, usage, incomplete, transcript, response_id: responseId, workspace } = sample;
  const told = { incomplete, transcript, responseId, ...(workspace && { workspace }) };
  if (error?.stage === "generate") {
    const kind = error.fault === "infra" ? "unavailable" : "failed";
    const { type, message } = error;
    return { kind, type, message, ...told, ...(usage && { usage }) };
  }
  return { kind: "answered", outputText: sample.output_text ?? "", ...told, usage };
}
