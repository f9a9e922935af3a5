import type { JsonObject } from "../../model/json.ts";
import type { ConnectMcp, McpConnection } from "../../model/ports/mcp.ts";
import type { Secrets } from "../../model/ports/secrets.ts";
import { isJsonObject } from "../../model/json.ts";

/** Removes known secrets from the results of MCP servers before a model sees them. */
export function hidingMcp(connect: ConnectMcp, secrets: Secrets): ConnectMcp {
  return async (wanted) => {
    const connected = await connect(wanted);
    if (connected.kind === "not_connected")
      return { ...connected, message: secrets.redact(connected.message) };
    return {
      ...connected,
      tools: connected.tools.map(({ name, description, schema }) => ({
        name,
        description: secrets.redact(description),
        schema: hidden(schema, secrets),
      })),
      call: hidingCalls(connected.call, secrets),
    };
  };
}

function hidingCalls(call: McpConnection["call"], secrets: Secrets): McpConnection["call"] {
  return async (asked) => {
    const result = await call(asked);
    if (result.kind === "failed") return { ...result, message: secrets.redact(result.message) };
    return { ...result, content: result.content.map((part) => hidden(part, secrets)) };
  };
}

function hidden(value: JsonObject, { stringify }: Secrets): JsonObject {
  const written = stringify(value);
  if (written === JSON.stringify(value)) return value;
  const read: unknown = JSON.parse(written);
  return isJsonObject(read) ? read : {};
}
