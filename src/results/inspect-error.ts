import type { JsonObject } from "../model/json.ts";
import type { RowResult } from "../model/results.ts";

/** The names that Python's and the providers' packages have for what is nobody's fault here. */
const surroundings =
  /^(?:\w*Timeout\w*|\w*Connect(?:ion)?\w*Error|\w*RateLimit\w*|\w*Throttl\w*|InternalServerError|ServerError|ServiceUnavailable\w*|\w*Overloaded\w*|ReadError|RemoteProtocolError|RetryError|MaxRetryError|gaierror|AuthenticationError|PermissionDeniedError|NotFoundError|PrerequisiteError)$/;

const longestMessage = 1000;

/**
 * Of an error Inspect keeps a traceback, and not whose fault it was. One out of a model's API is the surroundings' or, where the
 * API refused what was asked, the candidate's; one out of a solver is the candidate's. Of any other the scorer is said to be at
 * fault: on the change's side that counts as the worst score, on the other's it doesn't count.
 */
export function errorOf(error: JsonObject): RowResult {
  const text = (key: string): string => {
    const value = error[key];
    return typeof value === "string" ? value : "";
  };
  const [message, traceback] = [text("message"), text("traceback")];
  const name = /^([\w.]+)\(/.exec(message)?.[1]?.split(".").at(-1) ?? "";
  const told = { type: name === "" ? "error" : name, message: message.slice(0, longestMessage) };
  if (/[\\/]inspect_ai[\\/]model[\\/]/.test(traceback)) {
    const kind = surroundings.test(name) ? "ungraded" : "failed";
    return { kind, ...told };
  }
  const isSolvers = /[\\/]inspect_ai[\\/](?:solver|agent)[\\/]/.test(traceback);
  return { kind: isSolvers ? "failed" : "invalid", ...told };
}
