import { cutText } from "../base/cut-text.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type {
  ConnectMcp,
  McpCall,
  McpConnection,
  McpNotConnected,
  McpResult,
  McpTool,
  McpToConnect,
} from "../model/ports/mcp.ts";
import { within } from "../io/processes/start.ts";
import { faultOf } from "../io/http/http-fault.ts";
import { createBoundedFetch } from "../io/http/bounded-fetch.ts";
import type * as Sdk from "./mcp-sdk.ts";
import { startServer } from "./started-server.ts";
import type { Environment } from "../model/ports/processes.ts";

/** Limits of a list of tools: a server may give page after page. */
const mostTools = 2000;
const mostPages = 200;
/** Limit, in characters, of a server's own words in a message. */
const wordsShown = 600;
/** Milliseconds that a server at an address has to end the session. */
const partingMilliseconds = 1000;

/** Connects through the official SDK, which is loaded with the first server. */
export function createConnectMcp(environment: Environment): ConnectMcp {
  const fetch = createBoundedFetch(environment);
  return async (wanted) => {
    const sdk = await loadSdk();
    const found = await connect(wanted, "legacy", { sdk, fetch });
    // Most servers know the handshake of 2025; those that know only the revision of 2026 refuse it with a message.
    return found === "other_revision" ? connect(wanted, "auto", { sdk, fetch }) : found;
  };
}

async function loadSdk(): Promise<typeof Sdk> {
  const { Client, SSEClientTransport, StreamableHTTPClientTransport } =
    await import("./mcp-sdk.ts");
  const { deserializeMessage, serializeMessage } = await import("./mcp-sdk.ts");
  const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } = await import("./mcp-sdk.ts");
  const transports = { SSEClientTransport, StreamableHTTPClientTransport };
  const errors = { ProtocolError, SdkError, SdkErrorCode, SdkHttpError };
  return { Client, ...transports, deserializeMessage, serializeMessage, ...errors };
}

type Connected = McpConnection | McpNotConnected;

interface Means {
  readonly sdk: typeof Sdk;
  readonly fetch: ReturnType<typeof createBoundedFetch>;
}

function connect(
  wanted: McpToConnect,
  mode: "legacy",
  means: Means,
): Promise<Connected | "other_revision">;
function connect(wanted: McpToConnect, mode: "auto", means: Means): Promise<Connected>;
async function connect(
  wanted: McpToConnect,
  mode: "legacy" | "auto",
  means: Means,
): Promise<Connected | "other_revision"> {
  const { sdk } = means;
  const opened = await openTransport(wanted, means);
  if ("message" in opened) return { kind: "not_connected", message: opened.message };
  const { transport, end } = opened;
  const client = new sdk.Client(
    { name: "regrade", version: "1" },
    { versionNegotiation: { mode } },
  );
  const reasonOf = async (error: unknown, timeoutSeconds: number): Promise<string> =>
    (await end()) ?? wordsOf(error, timeoutSeconds, sdk);
  const { timeoutSeconds } = wanted;
  // The limit is for the whole list: a server may be slow with each page of its tools.
  const late = AbortSignal.timeout(timeoutSeconds * 1000);
  const signal = AbortSignal.any([wanted.signal, late]);
  const limits = { timeout: timeoutSeconds * 1000, signal };
  try {
    await client.connect(transport, limits);
    const tools = await listTools(client, limits);
    return {
      kind: "connected",
      tools: tools.map(describeTool),
      call: (asked) => call(client, asked, { tools, reasonOf }),
      close: () => close(client, transport),
    };
  } catch (error) {
    const isOther = mode === "legacy" && speaksOtherRevision(error, sdk);
    const own = isOther ? "" : await reasonOf(error, timeoutSeconds);
    const message = late.aborted ? `no answer within ${timeoutSeconds} s` : own;
    await close(client, transport);
    return isOther ? "other_revision" : { kind: "not_connected", message };
  }
}

interface Opened {
  readonly transport: Sdk.Transport;
  readonly end: () => Promise<string | undefined>;
}

async function openTransport(
  wanted: McpToConnect,
  { sdk, fetch }: Means,
): Promise<Opened | { readonly message: string }> {
  const { server } = wanted;
  if (server.type === "stdio") {
    const started = await startServer(server.command, wanted, sdk);
    if ("kind" in started) return started;
    return { transport: started, end: () => started.reason() };
  }
  const url = URL.parse(server.url);
  if (url === null)
    return { message: "its address is not a valid URL once its variables are filled in" };
  const options = { fetch, requestInit: { headers: server.headers } };
  const transport: Sdk.Transport =
    server.type === "sse"
      ? new sdk.SSEClientTransport(url, options)
      : new sdk.StreamableHTTPClientTransport(url, options);
  return { transport, end: async () => undefined };
}

/** Reads all pages of the list. A server without tools has an empty one. */
async function listTools(
  client: Sdk.Client,
  limits: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<readonly Sdk.Tool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: Sdk.Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: "tools/list", params }, limits);
    tools.push(...listed.tools);
    if (tools.length > mostTools) throw new Error(`it lists more than ${mostTools} tools`);
    cursor = listed.nextCursor;
    if (cursor === undefined) return tools;
  }
  throw new Error(`its list of tools has no end: ${mostPages} pages were read`);
}

function describeTool({ name, description = "", inputSchema }: Sdk.Tool): McpTool {
  const schema: unknown = inputSchema;
  return { name, description, schema: isJsonObject(schema) ? schema : {} };
}

async function call(
  client: Sdk.Client,
  { tool, arguments: given, timeoutSeconds, signal }: McpCall,
  {
    tools,
    reasonOf,
  }: {
    readonly tools: readonly Sdk.Tool[];
    readonly reasonOf: (error: unknown, timeoutSeconds: number) => Promise<string>;
  },
): Promise<McpResult> {
  const known = tools.find(({ name }) => name === tool);
  const { outputSchema: _schema, ...toolDefinition } =
    known ??
    ({
      name: tool,
      inputSchema: { type: "object" as const },
    } satisfies Sdk.Tool);
  const options = { timeout: timeoutSeconds * 1000, signal, toolDefinition };
  try {
    const result = await client.callTool({ name: tool, arguments: { ...given } }, options);
    return { kind: "result", content: contentOf(result), isError: result.isError === true };
  } catch (error) {
    return { kind: "failed", message: await reasonOf(error, timeoutSeconds) };
  }
}

/** A result may have data and no text. */
function contentOf({
  content,
  structuredContent,
}: {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
}): readonly JsonObject[] {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const given = parts.filter(isJsonObject);
  if (given.length > 0 || structuredContent === undefined) return given;
  return [{ type: "text", text: JSON.stringify(structuredContent) }];
}

async function close(client: Sdk.Client, transport: Sdk.Transport): Promise<void> {
  const end = async (): Promise<void> => {
    if ("terminateSession" in transport && typeof transport.terminateSession === "function")
      await transport.terminateSession();
  };
  await within(
    end().catch(() => undefined),
    partingMilliseconds,
  );
  await client.close().catch(() => undefined);
  await transport.close().catch(() => undefined);
}

/** A protocol error means that the server runs and reads, but does not know this handshake. */
function speaksOtherRevision(error: unknown, { ProtocolError, SdkHttpError }: typeof Sdk): boolean {
  if (error instanceof SdkHttpError) return error.status === 400;
  return error instanceof ProtocolError || /protocol version/i.test(String(error));
}

function wordsOf(
  error: unknown,
  timeoutSeconds: number,
  { SdkError, SdkErrorCode, SdkHttpError }: typeof Sdk,
): string {
  if (error instanceof SdkHttpError)
    return shortened(`it answered ${error.status} (${error.message})`);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return `no answer within ${timeoutSeconds} s`;
  return shortened(faultOf(rootOf(error)).message);
}

function shortened(words: string): string {
  return words.length > wordsShown ? `${cutText(words, wordsShown)}…` : words;
}

/** `fetch` says "fetch failed"; its cause says why. */
function rootOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? rootOf(cause) : error;
}
