import type { Cassette, CassetteSpec } from "../../../model/models/cassette.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { ConnectMcp, McpConnection, McpResult, McpTool } from "../../../model/ports/mcp.ts";
import type { HashText } from "../../../model/ports/files.ts";
import type { SendHttp } from "../../../model/ports/http.ts";
import { nestedIn, nestedList, wholeIn, wordsIn } from "../fields.ts";
import type { AgentRequest } from "../runtime.ts";

/**
 * The connection of one sample to the model and the servers; its answers are recorded, or come from the cassette alone.
 */
export interface SampleTraffic {
  readonly sendHttp: SendHttp;
  readonly connectMcp: ConnectMcp;
  /** Describes the first request that is not in the cassette; undefined if all were found. */
  readonly missing: () => string | undefined;
}

interface Taped {
  readonly cassette: Cassette;
  readonly mode: CassetteSpec["mode"];
  readonly sample: AgentRequest["sample"];
  readonly hashText: HashText;
}

type Live = Pick<SampleTraffic, "sendHttp" | "connectMcp">;

/**
 * Records or replays one sample's traffic. An answer is found by the sample, the request, and how often the same
 * request was made before.
 */
export function tapedTraffic(taped: Taped, live: Live): SampleTraffic {
  const tape = createTape(taped);
  return taped.mode === "record"
    ? { ...recorded(tape, live), missing: () => undefined }
    : { ...replayed(tape), missing: tape.missing };
}

interface Tape {
  readonly keep: (asked: Asked, value: Json) => Promise<void>;
  readonly find: (asked: Asked) => JsonObject | undefined;
  readonly missing: () => string | undefined;
}

interface Asked {
  /** Describes the request in messages. */
  readonly about: string;
  readonly what: Json;
}

function createTape({ cassette, sample, hashText }: Taped): Tape {
  const times = new Map<string, number>();
  let missing: string | undefined;
  const keyOf = ({ what }: Asked): string => {
    const asked = canonicalJson([{ ...sample }, what]);
    const before = times.get(asked) ?? 0;
    times.set(asked, before + 1);
    return hashText(`${before} ${asked}`);
  };
  return {
    keep: (asked, value) => cassette.keep(keyOf(asked), asked.about, value),
    find: (asked) => {
      const found = cassette.find(keyOf(asked));
      if (isJsonObject(found)) return found;
      missing ??= asked.about;
      return undefined;
    },
    missing: () => missing,
  };
}

function recorded(tape: Tape, { sendHttp, connectMcp }: Live): Live {
  return {
    sendHttp: async (request) => {
      const end = await sendHttp(request);
      if (end.kind === "response" && end.status < 400)
        await tape.keep(requestOf(request.body), { status: end.status, body: end.body });
      return end;
    },
    connectMcp: async (wanted) => {
      const found = await connectMcp(wanted);
      if (found.kind === "not_connected") return found;
      await tape.keep(serverOf(wanted.name), { tools: found.tools.map((tool) => ({ ...tool })) });
      const call: McpConnection["call"] = async (asked) => {
        const result = await found.call(asked);
        await tape.keep(callOf(wanted.name, asked), { ...result });
        return result;
      };
      return { ...found, call };
    },
  };
}

/** Replays the cassette: no request is sent, and no program is started. */
function replayed(tape: Tape): Live {
  return {
    sendHttp: async ({ body }) => {
      const found = tape.find(requestOf(body));
      if (found === undefined) return { kind: "cancelled" };
      const [status = 200, text = ""] = [wholeIn(found, "status"), wordsIn(found, "body")];
      return { kind: "response", status, headers: {}, body: text };
    },
    connectMcp: async ({ name }) => {
      const found = tape.find(serverOf(name));
      if (found === undefined)
        return { kind: "not_connected", message: "the cassette does not have it" };
      return {
        kind: "connected",
        tools: nestedList(found, "tools").map(readTool),
        call: async (asked) => readResult(tape.find(callOf(name, asked))),
        close: async () => undefined,
      };
    },
  };
}

function requestOf(body: string | undefined): Asked {
  return { about: "an answer of the model", what: ["model", body ?? ""] };
}

function serverOf(name: string): Asked {
  return { about: `the tools of the server ${name}`, what: ["server", name] };
}

function callOf(
  server: string,
  { tool, arguments: given }: Parameters<McpConnection["call"]>[0],
): Asked {
  return { about: `a call of ${server}'s tool ${tool}`, what: ["call", server, tool, given] };
}

function readTool(tool: JsonObject): McpTool {
  return {
    name: wordsIn(tool, "name") ?? "",
    description: wordsIn(tool, "description") ?? "",
    schema: nestedIn(tool, "schema") ?? {},
  };
}

function readResult(found: JsonObject | undefined): McpResult {
  if (found?.["kind"] === "result")
    return {
      kind: "result",
      content: nestedList(found, "content"),
      isError: found["isError"] === true,
    };
  const message = found === undefined ? undefined : wordsIn(found, "message");
  return { kind: "failed", message: message ?? "the cassette does not have this call" };
}
