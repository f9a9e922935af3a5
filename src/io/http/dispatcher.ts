import type { LookupFunction } from "node:net";
import type { Agent, Dispatcher } from "undici";
import type { Environment } from "../../model/ports/processes.ts";
import { problem, Refusal } from "../../model/refusal.ts";

/** Connections to one host. Further requests wait their turn, and the wait counts for the time-out. */
const mostConnections = 256;

/**
 * Limit for connecting, in milliseconds: a host that is slower counts as unreachable. The time-out of the whole
 * exchange may be an hour.
 */
const connectTimeoutMilliseconds = 30_000;

/** Hosts that a proxy could only reach on its own machine. */
const neverProxied = "localhost,127.0.0.1,[::1]";

/** Connections through the environment's proxies. `lookup` resolves names that don't go through a proxy. */
export async function openDispatcher(
  environment: Environment,
  lookup?: LookupFunction,
): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import("./undici.ts");
  const options: Agent.Options = {
    connections: mostConnections,
    connectTimeout: connectTimeoutMilliseconds,
    // The whole exchange is timed here; 300 s of silence may be a model that thinks.
    headersTimeout: 0,
    bodyTimeout: 0,
    // One request per connection: a broken connection breaks one sample.
    allowH2: false,
    ...(lookup && { connect: { lookup, timeout: connectTimeoutMilliseconds } }),
  };
  const proxies = proxiesOf(environment);
  const { httpProxy, httpsProxy } = proxies;
  if (httpProxy === "" && httpsProxy === "") return new Agent(options);
  return new EnvHttpProxyAgent({ ...options, ...proxies });
}

/** The environment's proxies; "" for none. Refuses invalid proxy addresses. */
export function proxiesOf(environment: Environment): {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
} {
  const variable = (name: string): string =>
    environment[name.toLowerCase()] ?? environment[name.toUpperCase()] ?? "";
  return {
    httpProxy: proxyAddress("HTTP_PROXY", variable("http_proxy")),
    httpsProxy: proxyAddress("HTTPS_PROXY", variable("https_proxy")),
    noProxy: `${neverProxied},${variable("no_proxy")}`,
  };
}

/** `proxy.corp:3128` means a proxy over http, as in curl. */
function proxyAddress(name: string, value: string): string {
  if (value === "") return "";
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.parse(address);
  const isProxy = url !== null && /^(?:https?|socks5?):$/.test(url.protocol);
  if (isProxy && isEncoded(url.username) && isEncoded(url.password)) return address;
  throw new Refusal(problem("proxy_malformed", { name }));
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
