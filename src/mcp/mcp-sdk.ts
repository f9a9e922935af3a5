/** A separate file in dist/, loaded with the first server of tools: it is larger than everything else of a start. */
export {
  Client,
  deserializeMessage,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  serializeMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
export type { JSONRPCMessage, Tool, Transport } from "@modelcontextprotocol/client";
