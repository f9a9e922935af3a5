import { describe, expect, it } from "vitest";
import type { AgentSpec } from "../../../src/model/models/agent.ts";
import type { CandidateSpec } from "../../../src/model/definition/candidate-spec.ts";
import type { Suite } from "../../../src/model/definition/suite.ts";
import { composeSuite } from "../../../src/suite/policy/compose.ts";
import { definitionNotes } from "../../../src/suite/policy/definitions.ts";
import { modelRef, slot, suiteOf, taskSpec } from "./suites.ts";

const program = { inputs: [], env: [], pass: [], timeout_seconds: 10 };
const waits = { timeout_seconds: 60, max_retries: 2, max_empty_retries: 0 };

function command(...words: readonly string[]): CandidateSpec {
  return { id: "app", kind: "command", command: words, ...program };
}

function worker(changes: object = {}): CandidateSpec {
  return { id: "app", kind: "worker", worker: ["python3", "app.py"], ...program, ...changes };
}

function http(changes: object = {}): CandidateSpec {
  return {
    id: "app",
    kind: "http",
    url: "http://127.0.0.1:1/good",
    method: "POST",
    headers: {},
    body: { q: "{{prompt}}" },
    output: "/text",
    max_retries: 2,
    ...program,
    ...changes,
  };
}

function model(name: string, changes: object = {}, base_url?: string): CandidateSpec {
  return {
    id: "app",
    kind: "model",
    ...modelRef(name, base_url),
    generation: { ...waits, ...changes },
  };
}

function agent(changes: Partial<AgentSpec> = {}): CandidateSpec {
  return {
    id: "app",
    kind: "agent",
    program: { kind: "command", command: ["python3", "agent.py"], events: "regrade" },
    model: undefined,
    system_prompt: undefined,
    mcp_servers: {},
    tools: "all",
    skills: [],
    workspace: { folder: undefined, files: undefined },
    require: {},
    max_turns: undefined,
    usual_env: false,
    max_retries: 2,
    ...program,
    ...changes,
  };
}

function skilled(root: string): CandidateSpec {
  return agent({ skills: [{ path: "skills/a", absolute: `${root}/evals/skills/a` }] });
}

function many(value: number): object {
  return Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`setting_${i}`, value]));
}

function thirty(name: string): readonly CandidateSpec[] {
  return Array.from({ length: 30 }, (_, i) => slot(`s${i}`, name));
}

function notesOf(base: Partial<Suite>, head: Partial<Suite>): readonly string[] {
  const composed = composeSuite(suiteOf(base), suiteOf(head));
  const notes = definitionNotes(suiteOf(base), composed);
  expect(notes.every(({ effect }) => effect === "told")).toBe(true);
  return notes.map(({ note }) => note ?? "");
}

const of = (...candidates: readonly CandidateSpec[]): Partial<Suite> => ({ candidates });
const started = "the candidate `app` is started otherwise: ";
const asked = "the candidate `app` is asked otherwise: ";
const long = Array.from({ length: 40 }, (_, i) => `--flag-${i}`);
const kb = { type: "http", url: "http://kb.example/", headers: {} } as const;

describe("a candidate that the change has asked otherwise is told, by what differs", () => {
  it.each<readonly [string, CandidateSpec, CandidateSpec, string]>([
    [
      "another program",
      command("python3", "app.py"),
      command("python3", "old_app.py"),
      `${started}\`command\` [python3, app.py] → [python3, old_app.py]`,
    ],
    [
      "a flag",
      command("python3", "app.py"),
      command("python3", "app.py", "--eval"),
      `${started}\`command\` [python3, app.py] → [python3, app.py, --eval]`,
    ],
    [
      "a flag among many",
      command("app", ...long, "--a", ...long),
      command("app", ...long, "--b", ...long),
      `${started}\`command\` […, --a, …] → […, --b, …]`,
    ],
    [
      "a word with backticks, blanks and lines",
      command("app"),
      command("sh", "-c", "a `b`\nc"),
      `${started}\`command\` [app] → [sh, -c, "a 'b' c"]`,
    ],
    [
      "another kind",
      command("app"),
      worker({ worker: ["app"] }),
      `${started}\`kind\` command → worker; \`worker\` none → [app]; \`command\` [app] → none`,
    ],
    ["a variable", worker(), worker({ env: ["APP_MODE"] }), `${started}\`env\` [] → [APP_MODE]`],
    ["a field", worker(), worker({ pass: ["lang"] }), `${started}\`pass\` [] → [lang]`],
    ["time", worker(), worker({ timeout_seconds: 60 }), `${started}\`timeout_seconds\` 10 → 60`],
    [
      "an address",
      http(),
      http({ url: "http://127.0.0.1:2/bad" }),
      `${asked}\`url\` http://127.0.0.1:1/good → http://127.0.0.1:2/bad`,
    ],
    [
      "an address with secrets",
      http(),
      http({ url: "https://me:pw@host.example/a?key=1" }),
      `${asked}\`url\` http://127.0.0.1:1/good → https://…@host.example/a?…`,
    ],
    [
      "only the secret of an address",
      http({ url: "https://host.example/a?key=1" }),
      http({ url: "https://host.example/a?key=2" }),
      `${asked}\`url\` differs`,
    ],
    [
      "headers and a body",
      http({ headers: { Authorization: "Bearer a" } }),
      http({ headers: { Authorization: "Bearer b", "X-Eval": "1" }, body: "x" }),
      `${asked}\`headers.Authorization\` differs; \`headers.X-Eval\` is new; \`body\` differs`,
    ],
    [
      "flags with secrets",
      command("app", "--api-key", "a", "--token=b", "KEY=c", "--max-tokens=5"),
      command("app", "--api-key", "d", "--token=e", "KEY=f", "--max-tokens=6"),
      `${started}\`command\` [app, --api-key, …, --token=…, KEY=…, --max-tokens=5] → [app, --api-key, …, --token=…, KEY=…, --max-tokens=6]`,
    ],
    [
      "another model",
      model("small"),
      model("large"),
      `${asked}\`model\` local:small → local:large`,
    ],
    [
      "another address of the provider",
      model("small"),
      model("small", {}, "http://127.0.0.1:2/v1"),
      `${asked}\`provider.base_url\` http://127.0.0.1:1/v1 → http://127.0.0.1:2/v1`,
    ],
    [
      "settings of a model",
      model("small", { temperature: 0 }),
      model("small", { instructions: "Be quick.", top_p: 1 }),
      `${asked}\`instructions\` is new; \`top_p\` none → 1; \`temperature\` 0 → none`,
    ],
    [
      "a server of tools",
      agent(),
      agent({ mcp_servers: { kb } }),
      `${started}\`mcp_servers.kb.type\` none → http; \`mcp_servers.kb.url\` none → http://kb.example/`,
    ],
    [
      "the address of a server",
      agent({ mcp_servers: { kb } }),
      agent({ mcp_servers: { kb: { ...kb, url: "http://other.example/" } } }),
      `${started}\`mcp_servers.kb.url\` http://kb.example/ → http://other.example/`,
    ],
    [
      "values of a server's variables",
      agent({ mcp_servers: { kb: { type: "stdio", command: ["kb"], env: { A: "1" } } } }),
      agent({ mcp_servers: { kb: { type: "stdio", command: ["kb"], env: { A: "2" } } } }),
      `${started}\`mcp_servers.kb.env.A\` differs`,
    ],
    [
      "an agent's program and its prompt",
      agent(),
      agent({ system_prompt: "x", program: { kind: "runtime", runtime: "codex" } }),
      `${started}\`runtime\` none → codex; \`command\` [python3, agent.py] → none; \`system_prompt\` is new; \`events\` regrade → none`,
    ],
    ["a name", slot("app"), slot("bot"), "the candidate `bot` is called `app` on the base"],
    [
      "a name and a program",
      slot("app"),
      slot("bot", "other"),
      "the candidate `bot`, `app` on the base, is started otherwise: `command` [app] → [other]",
    ],
  ])("%s", (...[, before, after, note]) => {
    expect(notesOf(of(before), of(after))).toEqual([note]);
  });

  it("swapped commands of two slots", () => {
    const base = of(slot("app", "a"), slot("old", "b"));
    expect(notesOf(base, of(slot("app", "b"), slot("old", "a")))).toEqual([
      `${started}\`command\` [a] → [b]`,
      "the candidate `old` is started otherwise: `command` [b] → [a]",
    ]);
  });

  it("more settings and candidates than anybody reads", () => {
    const [note = ""] = notesOf(of(model("a", many(1))), of(model("a", many(2))));
    expect(note).toMatch(
      /; `setting_3` 1 → 2; also `setting_4`, .*`setting_13`, 26 more settings$/,
    );
    const notes = notesOf(of(...thirty("a")), of(...thirty("b")));
    expect(notes).toHaveLength(13);
    expect(notes.at(-1)).toBe("the definitions of 18 more candidates differ");
  });
});

describe("other parts of what is judged", () => {
  const other = { ...taskSpec(), prompt_template: "{{q}}!" };
  it.each<readonly [string, Partial<Suite>, readonly string[]]>([
    ["nothing", {}, []],
    ["a prompt", { tasks: [other] }, ["another prompt is asked for `qa`"]],
    ["the run", { concurrency: 1 }, ["the run has other settings: `concurrency` none → 1"]],
    [
      "the budget",
      { budget: { usd: undefined, tokens: undefined, minutes: 0.05 } },
      ["the run has other settings: `budget.minutes` none → 0.05"],
    ],
  ])("%s", (_, head, notes) => {
    expect(notesOf({}, head)).toEqual(notes);
  });

  it("texts that variables gave are not shown", () => {
    const hidden = { hidden_texts: [{ text: "s3cret", shown: "[hidden]" }] };
    const notes = notesOf(of(command("app")), { ...of(command("app", "as3cretb")), ...hidden });
    expect(notes).toEqual([`${started}\`command\` [app] → [app, "a[hidden]b"]`]);
  });

  it("a checkout elsewhere is no difference", () => {
    expect(notesOf(of(skilled("/base")), of(skilled("/head")))).toEqual([]);
  });
});
