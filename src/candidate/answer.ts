import type { AnswerSpec } from "../model/models/answer.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { Generated } from "../model/models/candidate.ts";
import type { Workspace } from "../model/ports/workspace.ts";
import { caseFiles } from "./agent/case-files.ts";
import { fieldsIn, fill } from "./http-template.ts";
import type { CandidateTools, OpenedCandidate } from "./open.ts";

/** Concurrency of this kind. Answers are available at once, so many samples may be in work. */
const answerConcurrency = 256;

/** A candidate whose answers come from the suite's own rows. Its transcript has the steps that the row contains. */
export function openAnswer(spec: AnswerSpec, { hashText }: CandidateTools): OpenedCandidate {
  const { id, kind, answer, files = null, transcript = null } = spec;
  return {
    candidate: {
      id,
      generate: async ({ prompt, fields }) => {
        const left = workspaceOf(spec, fields, hashText);
        if ("kind" in left) return left;
        return {
          kind: "answered",
          outputText: fill(answer, { prompt, fields, env: {} }),
          incomplete: false,
          transcript: transcriptOf(spec, fields),
          ...left,
          responseId: null,
          usage: {
            input_tokens: 0,
            output_tokens: 0,
            cached_tokens: 0,
            reasoning_tokens: 0,
            usd: 0,
          },
        };
      },
      concurrency: answerConcurrency,
      costly: false,
      recorded: true,
      close: async () => undefined,
    },
    hash: { kind, answer, files, transcript },
  };
}

/** The entries of the row's field that are objects. */
function transcriptOf({ transcript }: AnswerSpec, fields: JsonObject): readonly JsonObject[] {
  if (transcript === undefined) return [];
  const found = fields[transcript];
  const steps = Array.isArray(found) ? found.filter(isJsonObject) : [];
  return steps.some(({ type }) => type === "end") ? steps : [...steps, ended];
}

/** End of such a transcript: no work was needed. */
const ended: JsonObject = { type: "end", reason: "done", turns: 1, duration_ms: 0 };

/** The files that the row contains, unchanged, because no candidate has edited them. */
function workspaceOf(
  { files: field }: AnswerSpec,
  fields: JsonObject,
  hashText: CandidateTools["hashText"],
): { readonly workspace?: Workspace } | Exclude<Generated, { kind: "answered" }> {
  if (field === undefined) return {};
  const found = caseFiles({ workspace: { folder: undefined, files: field } }, fields);
  if ("kind" in found) return found;
  const files = Object.entries(found.files).map(([path, text]) => ({
    path,
    change: "kept" as const,
    bytes: Buffer.byteLength(text),
    sha256: hashText(text),
    text,
  }));
  return { workspace: { files, omitted: 0 } };
}

/** The row fields that the answer is built from. */
export function fieldsOfAnswer({ answer, files, transcript }: AnswerSpec): readonly string[] {
  return [...fieldsIn(answer), ...[files, transcript].flatMap((field) => field ?? [])];
}
