import type { HttpFault } from "../../model/ports/http.ts";

/** The type of a failed exchange, by the code of the system, of OpenSSL or of undici, and its message. */
export function faultOf(error: unknown): { readonly type: HttpFault; readonly message: string } {
  const codes = [...codesOf(error)];
  const found = faults.find(({ code }) => codes.some((each) => code.test(each)));
  const words = messageOf(error);
  if (found === undefined) return { type: "network", message: words };
  const { type, say } = found;
  return { type, message: say === undefined ? words : `${say}: ${words}` };
}

/** The order counts: a failed certificate may come wrapped in an error of the connection. */
const faults: readonly {
  readonly type: HttpFault;
  readonly code: RegExp;
  readonly say?: string;
}[] = [
  {
    type: "tls",
    // The names of X509_V_ERR_* as Node's tls documentation lists them, and Node's own.
    code: /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|ERR_SSL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_MISMATCH|ERROR_IN_CERT_|EPROTO$|UND_ERR_PRX_TLS$)/,
    say: "no trusted connection (TLS; for a certificate authority of your own, name its file in NODE_EXTRA_CA_CERTS)",
  },
  {
    type: "name_not_resolved",
    code: /^(?:ENOTFOUND|ENODATA|EAI_)/,
    say: "the name does not resolve",
  },
  { type: "connection_refused", code: /^ECONNREFUSED$/, say: "the connection was refused" },
  {
    type: "open_files_limit",
    code: /^EMFILE$/,
    say: "this machine allows no more open files (ulimit -n)",
  },
  { type: "timeout", code: /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/ },
  {
    type: "connection_reset",
    code: /^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|UND_ERR_PRX_CONN|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|HPE_INVALID_EOF_STATE)$/,
    say: "the connection broke",
  },
  {
    type: "bad_response",
    code: /^(?:HPE_|HTTPParserError$|UND_ERR_HEADERS_OVERFLOW$)/,
    say: "the answer is no HTTP",
  },
];

/** The codes of an error, of its causes, and of its attempts (one per address). */
function* codesOf(error: unknown, depth = 0): Generator<string> {
  if (!(error instanceof Error) || depth > 5) return;
  // A parser's error may have no code.
  yield error.name;
  if ("code" in error && typeof error.code === "string") yield error.code;
  if (error instanceof AggregateError) {
    for (const each of error.errors) yield* codesOf(each, depth + 1);
  }
  yield* codesOf(error.cause, depth + 1);
}

/** An AggregateError of Node's network has no message of its own. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return [...new Set(error.errors.map(messageOf))].join(", ");
}
