import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { request } from "undici";
import { openCandidate } from "../src/candidate/open.ts";
import { ask, tools } from "../test/candidate/tools.ts";
import { modelSpec } from "../test/support/specs.ts";
import { median } from "./measure.ts";
import type { Row } from "./table.ts";

const folder = join(import.meta.dirname, "../test/fixtures/agents");
const command = ["python3", "tool_server.py"];
const limitMs = 5;

interface Message {
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/**
 * Milliseconds that a turn takes more in Regrade's own loop than in a bare loop over the same SDK: the same model and the same
 * server of tools, by turns. The start of a sample is subtracted: it is a sample of few turns.
 */
export async function ownLoop(quick: boolean): Promise<readonly Row[]> {
  const model = spawn(process.execPath, [join(import.meta.dirname, "loop-model.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(model.stdout, "data")) as [Buffer];
  const url = line.toString().trim();
  const [ours, bare, more, starts]: [number[], number[], number[], number[]] = [[], [], [], []];
  try {
    // The SDK is loaded with the first server.
    await regradeLoop(url, "first 1");
    for (let round = 0; round < (quick ? 3 : 9); round += 1) {
      const least = await turnOf((turns) => bareLoop(url, `bare ${round} ${turns}`));
      const own = await turnOf((turns) => regradeLoop(url, `ours ${round} ${turns}`));
      bare.push(least.turnMs);
      ours.push(own.turnMs);
      more.push(own.turnMs - least.turnMs);
      starts.push(own.startMs - least.startMs);
    }
  } finally {
    model.stdin.end();
  }
  const [own, least] = [median(ours), median(bare)];
  return [
    {
      what: "ms that a turn of the own loop takes more than one of a bare loop on the SDK",
      ratio: median(more),
      limit: `≤ ${limitMs}`,
      kept: median(more) <= limitMs,
      seen: `${own.toFixed(2)} ms : ${least.toFixed(2)} ms; ${Math.round(median(starts))} ms more to start and end`,
    },
  ];
}

const few = 5;
const many = 105;

async function turnOf(
  run: (turns: number) => Promise<void>,
): Promise<{ readonly turnMs: number; readonly startMs: number }> {
  const startMs = await timed(() => run(few));
  const wholeMs = await timed(() => run(many));
  return { turnMs: (wholeMs - startMs) / (many - few), startMs };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function regradeLoop(url: string, prompt: string): Promise<void> {
  const { kind: _kind, ...model } = modelSpec("m");
  const opened = await openCandidate(
    {
      id: "loop",
      kind: "agent",
      program: { ...model, kind: "model", provider: { ...model.provider, base_url: url } },
      model: undefined,
      system_prompt: undefined,
      mcp_servers: { graph: { type: "stdio", command, env: {} } },
      tools: "all",
      skills: [],
      workspace: { folder: undefined, files: undefined },
      require: {},
      max_turns: 1000,
      inputs: [],
      env: [],
      usual_env: false,
      pass: [],
      timeout_seconds: 600,
      max_retries: 0,
    },
    { ...tools, suite: { ...tools.suite, directory: folder, root: folder } },
  );
  if ("problems" in opened) throw new Error(opened.problems.map((each) => each.message).join("; "));
  const done = await opened.candidate.generate(ask("c", { prompt }), new AbortController().signal);
  if (done.kind !== "answered") throw new Error(done.message);
}

async function bareLoop(url: string, prompt: string): Promise<void> {
  const client = new Client({ name: "bare", version: "1" });
  const [program = "", ...args] = command;
  await client.connect(
    new StdioClientTransport({ command: program, args, cwd: folder, stderr: "ignore" }),
  );
  const { tools: listed } = await client.listTools();
  const offered = listed.map(({ name, inputSchema }) => ({
    type: "function",
    function: { name: `mcp__graph__${name}`, parameters: inputSchema },
  }));
  const messages: object[] = [{ role: "user", content: prompt }];
  for (;;) {
    const { body } = await request(`${url}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages, tools: offered }),
    });
    const answer = (await body.json()) as {
      readonly choices: readonly { readonly message: Message }[];
    };
    const message = answer.choices[0]?.message;
    if (message?.tool_calls === undefined) break;
    messages.push(message);
    for (const { id, function: called } of message.tool_calls) {
      const result = await client.callTool({
        name: called.name.replace("mcp__graph__", ""),
        arguments: JSON.parse(called.arguments) as Record<string, unknown>,
      });
      const [part] = result.content;
      const content = part?.type === "text" ? part.text : "";
      messages.push({ role: "tool", tool_call_id: id, content });
    }
  }
  await client.close();
}
