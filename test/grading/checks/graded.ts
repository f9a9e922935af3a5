import { openCheck } from "../../../src/grading/checks/open.ts";
import { hashText } from "../../../src/io/files/files.ts";
import { createHash } from "node:crypto";
import type { JsonObject } from "../../../src/model/json.ts";
import type { GraderItem, GraderSample } from "../../../src/model/outcomes/sample.ts";

/** What a check says of a sample, or why it can't be used. */
export type Told =
  | { readonly fault: string }
  | { readonly scores: Readonly<Record<string, number>>; readonly judge: JsonObject };

/** Grades a sample by a check of this process. */
export async function graded(type: string, options: JsonObject, sample: JsonObject): Promise<Told> {
  const opened = openCheck({ type, options }, hashText);
  if (opened === undefined) throw new Error(`${type} is none`);
  if ("fault" in opened) return opened;
  const found = await opened.grade({ ...bare, ...sample }, item);
  if (found.kind !== "scored" || found.judge === null) throw new Error("not scored");
  return { scores: found.scores, judge: found.judge };
}

const item: GraderItem = { prompt: "", target: null, choices: [], task_id: "t" };

const bare: GraderSample = {
  output_text: "",
  extracted_output: "",
  model: "m",
  prompt: "",
  task_id: "t",
  run_id: "r",
  sample_id: "s",
};

/** An agent that made these calls, used these skills and left these files. */
export function agentSample({
  calls = [],
  skills = [],
  files,
  ...rest
}: {
  readonly calls?: readonly { readonly name: string; readonly arguments?: JsonObject }[];
  readonly skills?: readonly string[];
  readonly files?: Readonly<Record<string, string | null>>;
  readonly turns?: number;
  readonly usage?: JsonObject;
  readonly latency_ms?: number;
}): JsonObject {
  const { turns, ...others } = rest;
  return {
    transcript: [
      { type: "session", runtime: "test" },
      ...skills.map((name) => ({ type: "skill", name })),
      { type: "end", reason: "done", ...(turns !== undefined && { turns }) },
    ],
    tool_calls: calls.map(({ name, arguments: given = {} }) => ({ name, arguments: given })),
    ...(files && { files: Object.entries(files).map(fileOf) }),
    ...others,
  };
}

function fileOf([path, text]: readonly [string, string | null]): JsonObject {
  const sha256 = text === null ? null : sha256Of(text);
  return { path, change: "added", bytes: text?.length ?? 0, sha256, text };
}

export function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
