import { builtinProvider, isHostOf, ownerOfKey } from "../../model/models/providers.ts";
import { problem } from "../../model/refusal.ts";
import type { ManifestContext } from "../context.ts";
import { type Part, placeOf } from "../../base/part.ts";

/** The runner's tokens, which commands are refused too. Only GitHub Models are asked with the workflow's own token. */
const runnerKeys = /^(?:ACTIONS_.*|INPUT_.*|GITHUB_TOKEN|GH_TOKEN)$/i;
const githubModels = "models.github.ai";

/**
 * An http(s) address without user or password, or undefined if it is refused. `text` is the value of `part`, or comes
 * from the environment.
 */
export function readAddress(text: string, part: Part, context: ManifestContext): URL | undefined {
  const place = placeOf(part);
  if (!URL.canParse(text)) return context.refuse(problem("url_malformed", { found: text }, place));
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return context.refuse(problem("url_scheme", { scheme: `${url.protocol}//` }, place));
  }
  if (url.username !== "" || url.password !== "") {
    return context.refuse(problem("url_credentials", undefined, place));
  }
  if (url.protocol === "http:" && !isNear(url.hostname)) {
    context.warn(problem("url_not_encrypted", { host: url.hostname }, place));
  }
  return url;
}

/** A key of a built-in provider, or of the runner, goes only to its own host, and never unencrypted. */
export function checkKey(part: Part, url: URL, context: ManifestContext): void {
  const name = typeof part.value === "string" ? part.value : "";
  const isEncrypted = url.protocol === "https:";
  const host = isEncrypted ? url.hostname : url.origin;
  const owner = ownerOfKey(name);
  const provider = owner === undefined ? undefined : builtinProvider(owner);
  const isOwn = provider !== undefined && isEncrypted && isHostOf(provider, url.hostname);
  if (owner !== undefined && provider !== undefined && !isOwn) {
    context.refuse(problem("key_of_builtin", { name, owner, host }, placeOf(part)));
  }
  const isWorkflows = /^(?:GITHUB|GH)_TOKEN$/i.test(name) && host === githubModels;
  if (runnerKeys.test(name) && !isWorkflows) {
    context.refuse(problem("key_of_runner", { name, host }, placeOf(part)));
  }
}

/** Hosts of this machine and of private networks: a container beside the job has a name without a dot. */
function isNear(host: string): boolean {
  if (!host.includes(".") && !host.includes(":")) return true;
  if (/\.(?:localhost|local|internal|lan|home\.arpa)$/.test(host)) return true;
  if (/^\[(?:::1|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*)\]$/.test(host)) return true;
  return /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]+$/.test(host);
}
