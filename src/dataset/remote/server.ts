import { type Json, jsonIn } from "../../model/json.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { RemoteTools } from "../../model/ports/remote.ts";
import { type RequestRemote, readBody, type RemoteResponse, saidIn } from "./ask.ts";

/** An answer of the dataset server. */
type ServerAnswer =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly revision: string | undefined }
  /** The server understood the request, but does not have what was requested. */
  | { readonly kind: "said_no"; readonly status: number; readonly reason: string };

interface ToServer {
  readonly url: string;
  /** The data set that the request is about. */
  readonly path: string;
  readonly tools: RemoteTools;
}

/** Limit of an answer. A page has some hundred kilobytes, and the server's `rows` service returns at most 10 MB. */
const mostAnswerBytes = 64 * 1024 * 1024;

/** Sends a request to the dataset server. Throws a Refusal if the data set is missing or not public. */
export function askServer(
  { url, path, tools }: ToServer,
  ask: RequestRemote,
): Promise<ServerAnswer> {
  return ask({ url }, async (response) => {
    const bytes = await readBody(response, mostAnswerBytes);
    const { status, headers } = response;
    if (status === 200 && bytes !== undefined) {
      return { kind: "bytes", bytes, revision: headers["x-revision"] };
    }
    if (isDenied(response)) {
      const code = tools.token === undefined ? "hub_needs_token" : "hub_no_access";
      throw new Refusal(problem(code, { path }));
    }
    const said =
      bytes === undefined
        ? ": its answer is too large"
        : saidIn(tools.redact(new TextDecoder().decode(bytes)));
    return { kind: "said_no", status, reason: `HTTP ${status}${said}` };
  });
}

/** Sends a request and parses the answer as a JSON object. */
export async function askServerJson(
  to: ToServer,
  ask: RequestRemote,
): Promise<
  { readonly kind: "json"; readonly body: Json } | Extract<ServerAnswer, { kind: "said_no" }>
> {
  const answer = await askServer(to, ask);
  if (answer.kind === "said_no") return answer;
  const body = jsonIn(new TextDecoder().decode(answer.bytes));
  if (body !== undefined) return { kind: "json", body };
  const found = { where: to.path, reason: "it is no JSON" };
  throw new Refusal(problem("hub_answer_bad", found), { exit: 4 });
}

/**
 * True if the dataset server's own error code (`x-error-code`) denies access; it does not tell whether the data set
 * exists.
 */
function isDenied({ status, headers }: RemoteResponse): boolean {
  const code = headers["x-error-code"] ?? "";
  return (
    status === 401 ||
    status === 403 ||
    /^(?:External(?:Unauthenticated|Authenticated)Error|DatasetNotFoundError)$/.test(code)
  );
}
