import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";

/** A server of the official SDK with a few tools. */
export function createServer(): McpServer {
  const server = new McpServer({ name: "sums", version: "1" }, { capabilities: { tools: {} } });
  const numbers = fromJsonSchema<{ readonly a: number; readonly b: number }>({
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  });
  server.registerTool("add", { description: "Adds.", inputSchema: numbers }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  const outputSchema = fromJsonSchema({
    type: "object",
    properties: { sum: { type: "number" } },
    required: ["sum"],
  });
  server.registerTool("data", { inputSchema: numbers, outputSchema }, ({ a, b }) => ({
    content: [],
    structuredContent: { sum: a + b },
  }));
  server.registerTool("throw", { inputSchema: numbers }, () => {
    throw new Error("out of numbers");
  });
  return server;
}
