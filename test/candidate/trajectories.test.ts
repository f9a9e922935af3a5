import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { CandidateSpec } from "../../src/model/definition/candidate-spec.ts";
import { sessionOf } from "../../src/model/models/session.ts";
import { answers, ask, complaints, tools } from "./tools.ts";

/** As Harbor writes one: https://www.harborframework.com/docs/agents/trajectory-format */
const trajectory = {
  schema_version: "ATIF-v1.6",
  session_id: "0001",
  agent: { name: "mini", version: "1.0", model_name: "m-1" },
  steps: [
    { step_id: 1, timestamp: "2026-01-01T00:00:00Z", source: "system", message: "You work." },
    { step_id: 2, timestamp: "2026-01-01T00:00:01Z", source: "user", message: "Who calls parse?" },
    {
      step_id: 3,
      timestamp: "2026-01-01T00:00:02Z",
      source: "agent",
      message: "I look.",
      reasoning_content: "A search may help.",
      tool_calls: [
        { tool_call_id: "c1", function_name: "mcp__graph__callers", arguments: { name: "parse" } },
        { tool_call_id: "c2", function_name: "Skill", arguments: { skill: "callers" } },
      ],
      observation: {
        results: [
          { source_call_id: "c1", content: "load" },
          {
            source_call_id: "c2",
            content: [{ type: "text", text: "gone" }],
            extra: { is_error: true },
          },
        ],
      },
      metrics: { prompt_tokens: 10, completion_tokens: 2, cached_tokens: 1 },
    },
    {
      step_id: 4,
      timestamp: "2026-01-01T00:00:04Z",
      source: "agent",
      message: "load",
      metrics: { prompt_tokens: 12, completion_tokens: 1 },
    },
  ],
};

const replay: CandidateSpec = {
  id: "harbor",
  kind: "replay",
  file: { path: "jobs", absolute: "" },
  format: "atif",
  model: undefined,
  output_field: "output_text",
  id_field: "case_id",
};

async function read(
  files: Readonly<Record<string, unknown>>,
  caseIds: readonly string[],
  repeat = 0,
) {
  await using fixture = await createFixture(
    Object.fromEntries(
      Object.entries(files).map(([name, value]) => [
        `jobs/${name}`,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    ),
  );
  const spec = { ...replay, file: { path: "jobs", absolute: fixture.getPath("jobs") } };
  const found = await complaints(spec);
  if (found.length > 0) return found;
  return await answers(
    spec,
    caseIds.map((id) => ask(id, { repeat })),
    tools,
  );
}

describe("trajectories of other tools as answers", () => {
  it("have the last words as the answer, and calls, results, skills, turns, tokens and time", async () => {
    const [found] = await read({ "parse__a1B2/agent/trajectory.json": trajectory }, ["parse"]);
    if (typeof found !== "object" || found.kind !== "answered") throw new Error("no answer");
    expect(found).toMatchObject({ outputText: "load", tookMs: 4000 });
    expect(found.usage).toMatchObject({ input_tokens: 22, output_tokens: 3, cached_tokens: 1 });
    const session = sessionOf(found.transcript ?? []);
    expect(session).toMatchObject({ turns: 2, skills: ["callers"], durationMs: 4000 });
    expect(session.toolCalls).toMatchObject([
      { name: "mcp__graph__callers", arguments: { name: "parse" }, result: "load" },
      { name: "Skill", result: "gone", is_error: true },
    ]);
  });

  it("are of the case that their name tells; several of one are its repeats", async () => {
    const second = { ...trajectory, steps: [{ step_id: 1, source: "agent", message: "other" }] };
    const files = {
      "x/parse.json": trajectory,
      "y/parse.json": second,
      "z.trajectory.json": second,
    };
    expect(await read(files, ["parse", "z", "none"], 0)).toMatchObject([
      { outputText: "load" },
      { outputText: "other" },
      { kind: "unavailable", type: "no_recording" },
    ]);
    expect(await read(files, ["parse", "z"], 1)).toMatchObject([
      { outputText: "other" },
      { outputText: "other" },
    ]);
  });

  it("without a word of the agent are failures", async () => {
    const silent = { ...trajectory, steps: trajectory.steps.slice(0, 2) };
    expect(await read({ "a.json": silent }, ["a"])).toMatchObject([
      { kind: "failed", type: "no_result" },
    ]);
  });

  it("that can't be read are told, all at once, before the first sample", async () => {
    const at = "suite.yaml candidates.harbor.replay";
    const bad = `trajectory_unreadable evals/${at}`;
    const files = { "a.json": "{", "b.json": { schema_version: "2" }, "c.json": [] };
    expect(await read(files, ["a"])).toEqual([bad, bad, bad]);
    expect(await read({ "readme.txt": "x" }, ["a"])).toEqual([`trajectories_none evals/${at}`]);
  });
});
