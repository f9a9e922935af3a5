import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Dispatcher } from "undici";
import { once } from "../../base/once.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { GetRemote, RemoteEnd, RemoteRequest } from "../../model/ports/remote.ts";
import { isOwnName, whyNotPublic } from "./addresses.ts";
import { faultOf } from "./http-fault.ts";
import { joined } from "./http.ts";
import { openDispatcher, proxiesOf } from "./dispatcher.ts";
import type { Environment } from "../../model/ports/processes.ts";

interface RemoteHttpOptions {
  readonly environment: Environment;
  /** `host:port` of test servers, which may be on this machine. For tests only. */
  readonly testHosts: readonly string[];
  /** Finds a name's addresses. Default: the system's. */
  readonly resolve?: ResolveHost;
}

/** Finds all addresses of a name. */
type ResolveHost = (
  host: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

const mostRedirects = 10;
/** Time without data: the dataset server computes its answers on demand, and some take long. */
const silenceMilliseconds = 60_000;

/**
 * Fetches addresses that suites name, which may come from a stranger: hosts of this machine and of private networks
 * (where a cloud keeps its metadata and its credentials) are refused. The address of the actual connection counts, not an
 * earlier lookup of the name; each redirect is checked like the first address. *Not* blocked: somebody else's public host
 * that is reachable only from here. Behind a proxy, the proxy resolves names: they are resolved here too, and refused if
 * private, but the proxy may get other addresses.
 */
export function createGetRemote(options: RemoteHttpOptions): GetRemote {
  const { environment } = options;
  const guarded = once(() => openDispatcher(environment, publicLookup(options)));
  const open = once(() => openDispatcher(environment));
  return async (request) => {
    let token = request.token;
    let from: URL | undefined;
    let url: URL | null = URL.parse(request.url);
    for (let hop = 0; hop <= mostRedirects; hop += 1) {
      const wrong = url === null ? "this is no http address" : await whyNot(url, from, options);
      if (url === null || wrong !== undefined) {
        return { kind: "forbidden", url: url?.href ?? request.url, reason: wrong ?? "" };
      }
      const dispatcher = await (isTestHost(url, options) ? open() : guarded());
      const end = await fetchOnce({ ...request, token, url: url.href }, dispatcher);
      const target = redirectOf(end);
      if (target === undefined) return end;
      // The token belongs to this host; the redirect's target only receives it if the origin is the same.
      const next: URL | null = URL.canParse(target, url.href) ? new URL(target, url.href) : null;
      if (next?.origin !== url.origin) token = undefined;
      [from, url] = [url, next];
    }
    const message = `it redirects more than ${mostRedirects} times`;
    return { kind: "failed", type: "bad_response", message };
  };
}

function isTestHost(url: URL, { testHosts }: RemoteHttpOptions): boolean {
  return testHosts.includes(url.host);
}

/** The reason why an address may not be requested, as far as it is known before connecting. */
async function whyNot(
  url: URL,
  from: URL | undefined,
  options: RemoteHttpOptions,
): Promise<string | undefined> {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `${url.protocol}// is not http or https`;
  }
  if (url.username !== "" || url.password !== "") return "it holds a user name or a password";
  if (from?.protocol === "https:" && url.protocol === "http:") {
    return `${from.host} redirects to an address that is not encrypted`;
  }
  if (isTestHost(url, options)) return undefined;
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  // No name is looked up for these, neither here nor by the connection.
  if (isIP(literal) !== 0) return whyNotPublic(literal);
  if (isOwnName(literal)) return `${literal} is this machine`;
  return behindProxy(options) ? whyNotByName(literal, options) : undefined;
}

function behindProxy({ environment }: RemoteHttpOptions): boolean {
  const { httpProxy, httpsProxy } = proxiesOf(environment);
  return httpProxy !== "" || httpsProxy !== "";
}

/** Checks the addresses that this machine finds under a name, if any: the proxy may know more. */
function whyNotByName(host: string, options: RemoteHttpOptions): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  resolverOf(options)(host, (error, found) => {
    resolve(error === null ? privateOne(host, found) : undefined);
  });
  return promise;
}

/** Finds addresses for a connection, which is then made to one of these and no other. */
function publicLookup(options: RemoteHttpOptions): LookupFunction {
  const resolve = resolverOf(options);
  return (host, asked, done) => {
    resolve(host, (error, found) => {
      if (error !== null) return done(error, []);
      const wrong = privateOne(host, found);
      if (wrong !== undefined) return done(new PrivateHost(wrong), []);
      const [first] = found;
      if (asked.all === true || first === undefined) return done(null, [...found]);
      return done(null, first.address, first.family);
    });
  };
}

function resolverOf({ resolve }: RemoteHttpOptions): ResolveHost {
  if (resolve !== undefined) return resolve;
  // Loading it takes some milliseconds, which few runs need.
  return (host, done) =>
    void import("node:dns").then(({ lookup }) => lookup(host, { all: true }, done));
}

function privateOne(host: string, found: readonly LookupAddress[]): string | undefined {
  for (const { address } of found) {
    const why = whyNotPublic(address);
    if (why !== undefined) return `${host} is ${why.replace(/^\S+ is /, `${address}, `)}`;
  }
  return undefined;
}

/** Passes through undici as the reason that a connection failed. */
class PrivateHost extends Error {
  readonly code = "REGRADE_PRIVATE_HOST";
}

function privateHostIn(error: unknown, depth = 0): PrivateHost | undefined {
  if (error instanceof PrivateHost) return error;
  return error instanceof Error && depth < 5 ? privateHostIn(error.cause, depth + 1) : undefined;
}

async function fetchOnce(asked: RemoteRequest, dispatcher: Dispatcher): Promise<RemoteEnd> {
  const { url, headers, token, signal } = asked;
  if (signal.aborted) return { kind: "cancelled" };
  const { request } = await import("./undici.ts");
  try {
    const response = await request(url, {
      dispatcher,
      signal,
      method: "GET",
      headersTimeout: silenceMilliseconds,
      bodyTimeout: silenceMilliseconds,
      headers: {
        "user-agent": "regrade",
        "accept-encoding": "identity",
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    });
    const { statusCode: status, body } = response;
    const received = joined(response.headers);
    // The body of a redirect is not needed, but its connection is reused.
    if (isRedirect(status)) await body.dump();
    return { kind: "response", status, headers: received, body: readBody(body, url) };
  } catch (error) {
    if (isAborted(signal)) return { kind: "cancelled" };
    const wrong = privateHostIn(error);
    if (wrong !== undefined) return { kind: "forbidden", url, reason: wrong.message };
    return { kind: "failed", ...faultOf(error) };
  }
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function* readBody(body: AsyncIterable<Uint8Array>, url: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    const found = { url, reason: faultOf(error).message };
    throw new Refusal(problem("remote_broken", found), { cause: error, exit: 4 });
  }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function redirectOf(end: RemoteEnd): string | undefined {
  return end.kind === "response" && isRedirect(end.status) ? end.headers["location"] : undefined;
}
