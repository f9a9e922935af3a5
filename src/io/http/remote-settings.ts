import type { Environment } from "../../model/ports/processes.ts";

/** Hugging Face's dataset server and its hub. */
const rowsServer = "https://datasets-server.huggingface.co";
const hub = "https://huggingface.co";

/**
 * Hosts of data sets. Two variables of the environment change them, for tests only: `REGRADE_TEST_DATASETS_SERVER` is the
 * address of a stand-in for both servers, which may be on this machine; `REGRADE_TEST_HOSTS` names, as `host:port` with
 * commas between, further allowed hosts on this machine.
 */
export function remoteSettings(environment: Environment): {
  readonly servers: { readonly rows: string; readonly hub: string };
  readonly testHosts: readonly string[];
} {
  const named = (environment["REGRADE_TEST_HOSTS"] ?? "").split(",").map((host) => host.trim());
  const standIn = URL.parse(environment["REGRADE_TEST_DATASETS_SERVER"] ?? "");
  const hosts = named.filter((host) => host !== "");
  if (standIn === null) return { servers: { rows: rowsServer, hub }, testHosts: hosts };
  const server = standIn.href.replace(/\/+$/, "");
  return { servers: { rows: server, hub: server }, testHosts: [...hosts, standIn.host] };
}
