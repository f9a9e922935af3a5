import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { AgentSpec, McpServer } from "../../../src/model/models/agent.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { Generated } from "../../../src/model/models/candidate.ts";
import type { Provider as ModelProvider } from "../../../src/model/models/providers.ts";
import type { Generation } from "../../../src/model/definition/candidate-spec.ts";
import { openCandidate } from "../../../src/candidate/open.ts";
import type { Day } from "../../support/provider/days.ts";
import { requestProblems } from "../../support/provider/openai.ts";
import { startProvider, type Provider } from "../../support/provider/server.ts";
import { startHttpServer } from "../../support/mcp/http-server.ts";
import { answers, ask, complaints, tools } from "../tools.ts";
import { patience } from "../../support/patience.ts";
import { itSome } from "../../support/rows.ts";

/** Regrade's own loop: a model on the loopback, and servers of tools in processes of their own. */

const folder = fileURLToPath(new URL("../../fixtures/agents/", import.meta.url));
const at = { ...tools, suite: { path: "suite.yaml", directory: folder, root: folder, tasks: [] } };

const server = (day = "good", more: Partial<McpServer> = {}): McpServer =>
  Object.assign(
    { type: "stdio" as const, command: ["python3", "tool_server.py", day], env: {} },
    more,
  );

type Api = ModelProvider["api"];

interface Wanted extends Partial<Omit<AgentSpec, "program">> {
  readonly api?: Api;
  readonly generation?: Partial<Generation>;
  readonly provider?: Partial<ModelProvider>;
}

const loop = (
  { url }: Pick<Provider, "url">,
  { api = "chat", generation, provider, ...more }: Wanted = {},
): AgentSpec => ({
  id: "loop",
  kind: "agent",
  program: {
    kind: "model",
    model: "local:m",
    name: "m",
    provider: {
      id: "local",
      base_url: url,
      api,
      api_key_env: undefined,
      builtin: false,
      passthrough: false,
      prices: { m: { input: 1, cached_input: 1, output: 2 } },
      ...provider,
    },
    generation: { timeout_seconds: 20, max_retries: 0, max_empty_retries: 0, ...generation },
  },
  model: undefined,
  system_prompt: undefined,
  mcp_servers: { graph: server() },
  tools: "all",
  skills: [],
  workspace: { folder: undefined, files: undefined },
  require: {},
  max_turns: undefined,
  inputs: [],
  env: [],
  usual_env: false,
  pass: [],
  timeout_seconds: 60,
  max_retries: 0,
  ...more,
});

interface Call {
  readonly name: string;
  readonly arguments: object | string;
  readonly id?: string;
}

const call = (name: string, given: object | string = {}): Call => ({
  name: name.startsWith("mcp__") ? name : `mcp__graph__${name}`,
  arguments: given,
});

/** The calls of each turn, and then the answer. */
const turns =
  (...each: readonly (readonly Call[])[]) =>
  ({ attempt }: { readonly attempt: number }): Day => {
    const toolCalls = each[attempt];
    const tokens = { inputTokens: 100, outputTokens: 10 };
    return toolCalls === undefined
      ? { kind: "answer", ...tokens }
      : { kind: "answer", toolCalls, ...tokens };
  };

/** The sample of one prompt, and the requests that the model saw. */
async function run(script: ReturnType<typeof turns>, wanted: Wanted = {}, fields: JsonObject = {}) {
  await using provider = await startProvider({
    script: ({ index }) => script({ attempt: index }),
    answer: () => "done",
  });
  const spec = loop(provider, wanted);
  const [generated] = await answers(spec, [ask("c", { prompt: "who?", fields })], at);
  return { generated, requests: provider.requests.map(({ body }) => body as JsonObject) };
}

const results = (generated: Generated | undefined) =>
  (generated?.transcript ?? [])
    .filter(({ type }) => type === "tool_result")
    .map(({ output, is_error }) => [textOf(output), is_error === true] as const);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const nowhere = { url: "http://127.0.0.1:1/v1" };

const after = (day: Day) => (seen: { readonly attempt: number }) =>
  seen.attempt === 0 ? turns([call("count")])(seen) : day;
const status = (code: number, body = {}): Day => ({ kind: "status", status: code, body });

/** The costs as they are counted; the run goes on `times` times. */
const paying = (times: number) => {
  const paid: unknown[] = [];
  const pay = async (usage: unknown, asksAgain: boolean): Promise<boolean> => {
    paid.push([(usage as { input_tokens: number } | null)?.input_tokens, asksAgain]);
    return paid.length <= times;
  };
  return { paid, pay };
};

const keyOf = async (wanted: Wanted) => {
  const opened = await openCandidate(loop(nowhere, wanted), at);
  return "problems" in opened ? opened.problems : opened.candidate.cacheKey?.(ask("c"));
};

describe.skipIf(process.platform === "win32").concurrent("Regrade's own loop", () => {
  itSome(["chat", "responses"] as const)(
    "asks %s in turns, with what its tools say",
    async (api) => {
      const { generated, requests } = await run(turns([call("search", { word: "parse" })]), {
        api,
        system_prompt: "Be brief.",
        generation: { temperature: 0 },
        tools: ["search"],
      });
      expect(generated).toMatchObject({
        kind: "answered",
        outputText: "done",
        usage: { input_tokens: 200, output_tokens: 20, usd: 0.00024 },
      });
      expect(generated?.transcript).toMatchObject([
        {
          type: "session",
          runtime: "regrade",
          model: "local:m",
          tools: ["mcp__graph__search"],
          mcp_servers: [{ name: "graph", status: "connected" }],
        },
        {
          type: "tool_call",
          name: "mcp__graph__search",
          arguments: { word: "parse" },
          server: "graph",
        },
        { type: "tool_result", output: "main calls parse" },
        { type: "end", reason: "completed", turns: 2, usd: 0.00024 },
      ]);
      expect(requests).toHaveLength(2);
      expect(requests.flatMap((body) => requestProblems(api, body))).toEqual([]);
      expect(JSON.stringify(requests[1])).toContain("main calls parse");
      for (const body of requests) {
        expect(body).toMatchObject({ model: "m", temperature: 0 });
        expect(JSON.stringify(body)).toContain("Be brief.");
      }
    },
  );

  it("runs the calls of one answer side by side", async () => {
    const names = ["s0", "s1", "s2", "s3"];
    const mcp_servers = Object.fromEntries(names.map((name) => [name, server()]));
    // Each ends once all four run.
    const calls = names.map((name) => call(`mcp__${name}__meet`, { others: 3 }));
    const { generated, requests } = await run(turns(calls), { mcp_servers });
    expect(results(generated)).toEqual(calls.map(() => ["met", false]));
    // All of their results go back together.
    expect(requests).toHaveLength(2);
  });

  it("tells the model what goes wrong with a call, and goes on", async () => {
    const { generated } = await run(
      turns([
        call("fail"),
        call("nope"),
        call("search", "{not json"),
        call("search", "[1]"),
        call("picture"),
        call("count", ""),
      ]),
    );
    expect(results(generated)).toEqual([
      ["no such symbol", true],
      [expect.stringMatching(/^Error: there is no tool 'mcp__graph__nope': .*search/), true],
      ["Error: the arguments are not a JSON object", true],
      ["Error: the arguments are not a JSON object", true],
      ["[image: image/png, 6 bytes, not shown]\na cat", false],
      ["3", false],
    ]);
    expect(generated?.kind).toBe("answered");
  });

  it("cuts what is too long for a model, with a mark", async () => {
    const { generated, requests } = await run(turns([call("big")]));
    const output = results(generated)[0]?.[0] ?? "";
    expect(output.replace(/^x+/, "")).toBe("\n[cut off: 4900100 more characters]");
    expect(JSON.stringify(requests[1]).length).toBeLessThan(120_000);
  });

  itSome([
    ["dies", "die", /^Error: the server ended with exit code 3: out of memory$/],
    ["sends too much", "flood", /^Error: the server sent a message of more than 16 MB/],
    ["says nothing", "hang", /^Error: no answer within 1 s$/],
  ])("survives a server that %s in a call", async (_, name, words) => {
    const graph = server("good", { timeout_seconds: name === "hang" ? 1 : 30 });
    const { generated } = await run(turns([call(name)], [call(name)]), {
      mcp_servers: { graph },
    });
    expect(results(generated)).toEqual([
      [expect.stringMatching(words), true],
      [expect.stringMatching(words), true],
    ]);
    expect(generated?.kind).toBe("answered");
  });

  itSome([
    ["dead", /graph: the server ended with exit code 1: no database/],
    ["mute", /graph: no answer within 1 s/],
    ["endless", /graph: its list of tools has no end/],
  ])("asks no model where a server is %s at the start", async (day, words) => {
    const graph = server(day, { timeout_seconds: day === "mute" ? 1 : 30 });
    const { generated, requests } = await run(turns(), { mcp_servers: { graph } });
    expect(generated).toMatchObject({
      kind: "unavailable",
      type: "mcp_failed",
      message: expect.stringMatching(words),
    });
    expect(generated?.transcript?.[0]).toMatchObject({
      mcp_servers: [{ name: "graph", status: "failed" }],
    });
    expect(requests).toEqual([]);
  });

  it("stops the run where there are more tools than providers take, until some are named", async () => {
    const mcp_servers = { graph: server("many") };
    const { generated } = await run(turns(), { mcp_servers });
    expect(generated).toMatchObject({ kind: "halted", type: "tools_unusable" });
    expect(generated).toMatchObject({ message: expect.stringMatching(/500 tools.*128.*'tools'/) });
    const named = await run(turns([call("tool_499")]), { mcp_servers, tools: ["tool_499"] });
    expect(results(named.generated)).toEqual([["called tool_499", false]]);
  });

  it("stops the run where `tools` names one that no server has", async () => {
    const { generated } = await run(turns(), { tools: ["search", "mcp__graph__find"] });
    expect(generated).toMatchObject({
      kind: "halted",
      message: expect.stringMatching(/names mcp__graph__find, and the servers have .*search/),
    });
  });

  it("gives names that providers take, and keeps a tool's own name and server apart", async () => {
    const long = `mcp__graph__${"long".repeat(30)}`.slice(0, 64);
    const { generated, requests } = await run(
      turns([call("odd_name_x_y"), call("odd_name_x_y_2"), call(long), call("mcp__two__search")]),
      { mcp_servers: { graph: server(), two: server() } },
    );
    expect(results(generated).map(([output]) => output)).toEqual([
      "called odd.name/x y",
      "called odd.name/x.y",
      `called ${"long".repeat(30)}`,
      "main calls None",
    ]);
    const calls = (generated?.transcript ?? []).filter(({ type }) => type === "tool_call");
    expect(calls.map(({ name }) => name)).toEqual([
      "mcp__graph__odd.name/x y",
      "mcp__graph__odd.name/x.y",
      `mcp__graph__${"long".repeat(30)}`,
      "mcp__two__search",
    ]);
    const offered = requests[0]?.["tools"] as { function: { name: string } }[];
    const names = offered.map((each) => each.function.name);
    expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it("starts a server afresh for each sample, with its own home and what its `env` names", async () => {
    await using provider = await startProvider({
      script: turns([call("count"), call("look")]),
      answer: () => "done",
    });
    const graph = server("good", { env: { TOKEN: "{{env.GRAPH_TOKEN}}" } });
    const given = { ...at, environment: { ...at.environment, GRAPH_TOKEN: "t0ken" } };
    const asked = [ask("a", { prompt: "one" }), ask("b", { prompt: "two" })];
    const done = await answers(loop(provider, { mcp_servers: { graph } }), asked, given);
    const seen = done.map((each) => {
      const [count, look] = results(each);
      return { count: count?.[0], env: JSON.parse(look?.[0] ?? "{}") as Record<string, string> };
    });
    expect(seen.map(({ count }) => count)).toEqual(["1", "1"]);
    for (const { env } of seen) {
      expect(env).toMatchObject({ TOKEN: "t0ken", cwd: folder.replace(/\/$/, "") });
      expect(env["GITHUB_TOKEN"]).toBeUndefined();
      expect(env["GRAPH_TOKEN"]).toBeUndefined();
      expect(env["HOME"]).toMatch(/regrade-agent-.*home$/);
    }
    expect(seen[0]?.env["HOME"]).not.toBe(seen[1]?.env["HOME"]);
  });

  it("asks servers at an address, beside those that it starts", async () => {
    await using sums = await startHttpServer("session");
    const far: McpServer = { type: "http", url: sums.url, headers: { "x-key": "{{env.KEY}}" } };
    const environment = { ...at.environment, KEY: "k3y" };
    await using provider = await startProvider({
      script: turns([call("mcp__sums__add", { a: 1, b: 2 }), call("count")]),
      answer: () => "done",
    });
    const spec = loop(provider, { mcp_servers: { sums: far, graph: server() } });
    const [generated] = await answers(spec, [ask("c")], { ...at, environment });
    expect(results(generated)).toEqual([
      ["3", false],
      ["1", false],
    ]);
    expect(sums.requests.map(({ headers }) => headers["x-key"])).not.toContain(undefined);
    expect(sums.requests.at(-1)).toMatchObject({ method: "DELETE", headers: { "x-key": "k3y" } });
  });

  it("works for 25 samples side by side", async () => {
    await using provider = await startProvider({ script: turns([call("count")]) });
    const opened = await openCandidate(loop(provider), at);
    if ("problems" in opened) throw new Error("not opened");
    expect(opened.candidate.concurrency).toBe(25);
    const { signal } = new AbortController();
    const all = await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        opened.candidate.generate(ask(`c${i}`, { prompt: `case ${i}` }), signal),
      ),
    );
    expect(all.map((each) => each.kind === "answered" && each.outputText)).toEqual(
      all.map((_, i) => String(i)),
    );
    expect(all.flatMap(results)).toEqual(all.map(() => ["1", false]));
  });

  it("keeps the files that its servers leave in the workspace", async () => {
    const { generated } = await run(
      turns([call("write", { path: "out.txt", text: "one" })]),
      { workspace: { folder: undefined, files: "files" }, pass: ["files"] },
      { files: { "in.txt": "zero" } },
    );
    expect(
      generated?.workspace?.files.map(({ path, change, text }) => [path, change, text]),
    ).toEqual([
      ["in.txt", "kept", "zero"],
      ["out.txt", "added", "one"],
    ]);
  });

  it.skipIf(process.platform !== "linux")("fences its servers", async () => {
    const calls = [
      call("read", { path: `${folder}agent.py` }),
      call("write", { path: "out.txt", text: "one" }),
    ];
    const { generated } = await run(turns(calls), {
      fence: "required",
      inputs: ["tool_server.py"],
    });
    expect(results(generated)).toEqual([
      [expect.stringContaining("PermissionError"), true],
      ["written", false],
    ]);
    const open = await run(turns(calls), { inputs: ["tool_server.py"] });
    expect(results(open.generated)[0]).toEqual([expect.stringContaining("def "), false]);
  });

  it("has failed after `max_turns`, without running the calls of the last one", async () => {
    const again = Array.from({ length: 9 }, () => [call("count")]);
    const { generated, requests } = await run(turns(...again), { max_turns: 3 });
    expect(generated).toMatchObject({
      kind: "failed",
      type: "max_turns",
      usage: { input_tokens: 300 },
    });
    expect(generated?.transcript?.at(-1)).toMatchObject({ reason: "max_turns", turns: 3 });
    expect(results(generated)).toHaveLength(2);
    expect(requests).toHaveLength(3);
  });

  it("is left at once when the run is stopped, and its server with it", async () => {
    await using provider = await startProvider({ script: turns([call("hang")]) });
    const opened = await openCandidate(loop(provider), at);
    if ("problems" in opened) throw new Error("not opened");
    const stop = new AbortController();
    const working = opened.candidate.generate(ask("c"), stop.signal);
    await expect.poll(() => provider.count()).toBe(1);
    const stoppedMs = performance.now();
    stop.abort();
    expect(await working).toMatchObject({ kind: "unavailable", type: "cancelled" });
    const seconds = (performance.now() - stoppedMs) / 1000;
    expect(seconds).toBeLessThan(await patience(5));
  });

  it("has failed after `timeout_seconds`, and ends the server that hangs", async () => {
    const started = performance.now();
    const { generated } = await run(turns([call("hang")]), { timeout_seconds: 2 });
    expect(generated).toMatchObject({ kind: "failed", type: "timeout" });
    const seconds = (performance.now() - started) / 1000;
    expect(seconds).toBeLessThan(await patience(8));
  });

  it("forces a tool for the first answer alone", async () => {
    const { requests } = await run(turns([call("count")]), {
      generation: { tool_choice: "required" },
    });
    expect(requests.map(({ tool_choice }) => tool_choice)).toEqual(["required", undefined]);
  });

  it("makes ids of calls distinct, whatever the model gives", async () => {
    const same = { ...call("count"), id: "x" };
    const { generated, requests } = await run(turns([same, same], [same]));
    const ids = (type: string) =>
      (generated?.transcript ?? []).filter((each) => each["type"] === type).map(({ id }) => id);
    expect(ids("tool_call")).toEqual(["x", "x_2", "x_3"]);
    expect(ids("tool_result")).toEqual(["x", "x_2", "x_3"]);
    expect(requestProblems("chat", requests[2])).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32").concurrent("a bad day of the model", () => {
  itSome([
    ["401", status(401, { error: { message: "bad key" } }), { kind: "halted" }],
    ["500", status(500), { kind: "unavailable" }],
    ["a refusal", { kind: "answer", refusal: "No." } as const, { kind: "refused" }],
    ["nothing", { kind: "answer", text: "" } as const, { kind: "failed", type: "empty_answer" }],
  ])("in the second turn: %s", async (_, day, end) => {
    await using provider = await startProvider({
      script: after(day),
      answer: () => "",
    });
    const [generated] = await answers(loop(provider), [ask("c")], at);
    expect(generated).toMatchObject(end);
    // The first answer is paid for all the same.
    expect(generated?.usage?.input_tokens).toBeGreaterThanOrEqual(100);
    expect(generated?.transcript?.map((each) => each["type"])).toEqual(
      expect.arrayContaining(["session", "tool_call", "tool_result", "end"]),
    );
  });

  it("is retried as a model candidate's requests are, and no server is started again", async () => {
    const days = [status(503), undefined, status(429), undefined];
    let asked = -1;
    await using provider = await startProvider({
      script: (seen) => {
        asked += 1;
        return days[asked] ?? turns([], [call("count")], [])(seen);
      },
      answer: () => "done",
    });
    const generation = { max_retries: 2 };
    const [generated] = await answers(loop(provider, { generation }), [ask("c")], at);
    expect(generated).toMatchObject({ kind: "answered" });
    expect(results(generated)).toEqual([["1", false]]);
  });
});

describe
  .skipIf(process.platform === "win32")
  .concurrent("the calls that an agent must make", () => {
    it("are missing: it is tried again, then ungraded", async () => {
      const { generated, requests } = await run(turns(), {
        require: { tool_use: "mcp" },
        max_retries: 1,
      });
      expect(generated).toMatchObject({ kind: "unavailable", type: "mcp_not_used" });
      expect(requests).toHaveLength(2);
      expect(generated?.usage?.input_tokens).toBe(200);
    });

    it("failed: it says how", async () => {
      const { generated } = await run(turns([call("fail")]), { require: { tool_success: "mcp" } });
      expect(generated).toMatchObject({
        kind: "unavailable",
        type: "mcp_failed",
        message: expect.stringContaining("no such symbol"),
      });
    });
  });

describe.skipIf(process.platform === "win32").concurrent("what an own loop costs", () => {
  it("is counted after each turn, and it stops where the budget does", async () => {
    await using provider = await startProvider({
      script: turns([call("count")], [call("count")]),
      answer: () => "done",
    });
    const opened = await openCandidate(loop(provider), at);
    if ("problems" in opened) throw new Error("not opened");
    const { signal } = new AbortController();
    const whole = paying(9);
    expect(await opened.candidate.generate(ask("c"), signal, whole.pay)).toMatchObject({
      kind: "answered",
    });
    expect(whole.paid).toEqual([
      [100, true],
      [100, true],
      [100, false],
    ]);
    const short = paying(0);
    const ended = await opened.candidate.generate(ask("d", { prompt: "Q" }), signal, short.pay);
    expect(ended).toMatchObject({ kind: "unavailable", type: "cancelled" });
    expect(short.paid).toEqual([[100, true]]);
  });
});

describe("an own loop before its first sample", () => {
  it("needs its model's key, its servers' programs and their variables", async () => {
    const graph: McpServer = { type: "stdio", command: ["no-such-program"], env: {} };
    const rag: McpServer = {
      type: "http",
      url: "http://127.0.0.1:1/",
      headers: { a: "{{env.X}}" },
    };
    const spec = loop(nowhere, {
      provider: { api_key_env: "NO_KEY" },
      mcp_servers: { graph, rag },
    });
    expect(await complaints(spec, at)).toEqual([
      "model_key_missing evals/suite.yaml candidates.loop",
      "env_missing evals/suite.yaml candidates.loop.mcp_servers",
      "program_missing evals/suite.yaml candidates.loop.mcp_servers.graph",
    ]);
  });

  it("may be kept for later runs where `inputs` says what its servers depend on, or it has none", async () => {
    expect(await keyOf({})).toBeUndefined();
    const known = await keyOf({ inputs: ["tool_server.py"] });
    const alone = await keyOf({ mcp_servers: {} });
    expect(known).toBeDefined();
    expect(alone).toBeDefined();
    for (const other of [
      { generation: { temperature: 1 } },
      { system_prompt: "Be brief." },
      { provider: { base_url: "http://127.0.0.1:2/v1" } },
      { tools: [] },
      { mcp_servers: { graph: server("many") } },
    ])
      expect(await keyOf({ inputs: ["tool_server.py"], ...other })).not.toEqual(known);
    expect(await keyOf({ inputs: ["tool_server.py"], generation: { timeout_seconds: 9 } })).toEqual(
      known,
    );
  });
});
