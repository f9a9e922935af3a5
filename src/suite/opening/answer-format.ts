import { createOpenGrader } from "../../grading/open.ts";
import { modelOf } from "../../model/definition/candidate-kinds.ts";
import type { Grader } from "../../model/grading.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { problem, type Problem } from "../../model/refusal.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import type { TaskToOpen } from "./open-task.ts";
import type { Tools } from "../../tools.ts";

/** Why an answer lacks the requested format; undefined if it has it, or if none was requested. */
export type CheckFormat = (
  candidateId: string,
  answer: { readonly sampleId: string; readonly outputText: string },
) => Promise<string | undefined>;

interface FormatChecks {
  readonly check: CheckFormat;
  readonly warnings: readonly Problem[];
  readonly close: () => Promise<void>;
}

/**
 * Checks models' answers against the requested schema. If our validator does not support the whole schema, a warning
 * says so and the answers are not checked: the provider accepted the schema.
 */
export async function openFormatChecks(
  { candidates, python, resolved }: TaskToOpen,
  { files }: Tools,
): Promise<FormatChecks> {
  const open = createOpenGrader({ openProgram: python.openProgram, hashText: files.hashText });
  const bySchema = new Map<string, Promise<Grader | undefined>>();
  const byCandidate = new Map<string, Grader>();
  const warnings: Problem[] = [];
  for (const candidate of candidates) {
    const schema = schemaOf(candidate);
    if (schema === undefined) continue;
    const key = canonicalJson(schema);
    const opening = bySchema.get(key) ?? openSchema(schema, open);
    bySchema.set(key, opening);
    const grader = await opening;
    const place = resolved.place(["candidates", candidate.id]);
    if (grader === undefined)
      warnings.push(problem("format_unchecked", { id: candidate.id }, place));
    else byCandidate.set(candidate.id, grader);
  }
  return {
    check: async (id, answer) => checkWith(byCandidate.get(id), answer),
    warnings,
    close: async () => {
      for (const opened of bySchema.values()) await (await opened)?.close();
    },
  };
}

async function openSchema(
  schema: JsonObject,
  open: ReturnType<typeof createOpenGrader>,
): Promise<Grader | undefined> {
  const opened = await open({ type: "json_schema", options: { schema }, models: undefined });
  return "grader" in opened ? opened.grader : undefined;
}

async function checkWith(
  grader: Grader | undefined,
  { sampleId, outputText }: Parameters<CheckFormat>[1],
): Promise<string | undefined> {
  // An answer without text consists of tool calls.
  if (grader === undefined || outputText.trim() === "") return undefined;
  const about = { model: "", prompt: "", task_id: "", run_id: "", sample_id: sampleId };
  const sample = { ...about, output_text: outputText, extracted_output: outputText };
  const item = { prompt: "", target: null, choices: [], task_id: "" };
  const graded = await grader.grade(sample, item);
  if (graded.kind !== "scored" || graded.scores["schema_match"] !== 0) return undefined;
  const found = graded.judge?.["problem"];
  return typeof found === "string" ? found : "it does not match the schema";
}

/** The schema that a model is asked to follow, in either API's form; undefined: none. */
function schemaOf(candidate: CandidateSpec): JsonObject | undefined {
  const model = modelOf(candidate);
  if (model === undefined) return undefined;
  const { text, extra_body } = model.generation;
  const own = isJsonObject(text) ? text["format"] : undefined;
  return schemaIn(own ?? extra_body?.["response_format"]);
}

function schemaIn(format: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(format)) return undefined;
  if (format["type"] === "json_object") return { type: "object" };
  if (format["type"] !== "json_schema") return undefined;
  const inner = isJsonObject(format["json_schema"]) ? format["json_schema"] : format;
  return isJsonObject(inner["schema"]) ? inner["schema"] : undefined;
}
