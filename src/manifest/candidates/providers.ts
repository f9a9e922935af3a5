import { builtinPrices, type Price } from "../../model/models/prices.ts";
import {
  azureEndpointEnv,
  type BuiltinProvider,
  builtinProvider,
  builtinProviders,
  isHostOf,
  isOpenAiHost,
  type Provider,
} from "../../model/models/providers.ts";
import { problem } from "../../model/refusal.ts";
import { checkKey, readAddress } from "./address.ts";
import type { ManifestContext } from "../context.ts";
import { resolveHeaders } from "./headers.ts";
import {
  at,
  fieldsOf,
  isPresent,
  keyPlaceOf,
  numberOf,
  type Part,
  placeOf,
  textOf,
} from "../../base/part.ts";

/** The suite's providers: declared and built-in ones. */
export interface Providers {
  readonly names: readonly string[];
  /** `refused`: the problem has been reported already. */
  readonly find: (id: string, asked: Part) => Provider | "refused" | "unknown";
  /** Warns about declared providers that no model uses. */
  readonly warnUnused: () => void;
}

/** Checks all declared providers; a built-in one is checked only if a model uses it. */
export function resolveProviders(root: Part, context: ManifestContext): Providers {
  const parts = new Map(fieldsOf(at(root, "providers")));
  const declared = new Map(
    [...parts].map(([id, part]) => [id, resolveProvider(id, part, context) ?? "refused"] as const),
  );
  const used = new Set<string>();
  return {
    names: [...new Set([...parts.keys(), ...Object.keys(builtinProviders)])],
    find: (id, asked) => {
      used.add(id);
      const own = declared.get(id);
      if (own !== undefined) return own;
      if (builtinProvider(id) === undefined) return "unknown";
      return resolveProvider(id, { ...asked, value: undefined }, context) ?? "refused";
    },
    warnUnused: () => {
      for (const [id, part] of parts) {
        if (used.has(id)) continue;
        context.warn(problem("provider_unused", { provider: id }, keyPlaceOf(part)));
      }
    },
  };
}

/** A declared provider; its missing parts are those of the built-in one of that name. */
function resolveProvider(id: string, part: Part, context: ManifestContext): Provider | undefined {
  const builtin = builtinProvider(id);
  const url = resolveBaseUrl(part, builtin, context);
  const headers = resolveHeaders(at(part, "headers"), "provider", context);
  if (url === undefined) return undefined;
  if (builtin !== undefined) checkOwnHost({ id, builtin, url }, part, context);
  checkKey(at(part, "api_key_env"), url, context);
  return {
    id,
    base_url: url.href.replace(/\/+$/, ""),
    api: apiOf(at(part, "api")) ?? builtin?.api ?? "chat",
    api_key_env: textOf(at(part, "api_key_env")) ?? builtin?.api_key_env,
    builtin: builtin !== undefined,
    passthrough: builtin?.passthrough ?? !isOpenAiHost(url.hostname),
    prices: { ...builtinPrices(id), ...resolvePrices(at(part, "prices")) },
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}

function resolveBaseUrl(
  part: Part,
  builtin: BuiltinProvider | undefined,
  context: ManifestContext,
): URL | undefined {
  const own = at(part, "base_url");
  const written = textOf(own);
  if (isPresent(own)) return written === undefined ? undefined : readBaseUrl(written, own, context);
  if (builtin?.base_url !== undefined) return new URL(builtin.base_url);
  if (builtin !== undefined) return azureUrl(part, context);
  if (context.misspelt(part)) return undefined;
  return context.refuse(problem("key_missing", { key: "base_url" }, placeOf(part)));
}

/**
 * Reads the variable that Azure's own tools use: the resource's address, with or without the API's path, or a part of it.
 */
function azureUrl(part: Part, context: ManifestContext): URL | undefined {
  const endpoint = context.environment[azureEndpointEnv]?.replace(/\/+$/, "");
  if (endpoint === undefined || !URL.canParse(endpoint)) {
    const found = { variable: azureEndpointEnv };
    return context.refuse(problem("azure_resource_missing", found, placeOf(part)));
  }
  const resource = endpoint.replace(/\/openai(?:\/v1)?(?:\/responses|\/chat\/completions)?$/, "");
  return readBaseUrl(endpoint.endsWith("/v1") ? endpoint : `${resource}/openai/v1`, part, context);
}

function readBaseUrl(text: string, part: Part, context: ManifestContext): URL | undefined {
  const url = readAddress(text, part, context);
  if (url === undefined) return undefined;
  const end = /\/(?:chat\/completions|responses)\/*$/.exec(url.pathname)?.[0];
  const extra = [
    { part: "a query", found: url.search },
    { part: "a fragment", found: url.hash },
    { part: "an endpoint", found: end ?? "" },
  ].find(({ found }) => found !== "");
  return extra === undefined ? url : context.refuse(problem("url_extra", extra, placeOf(part)));
}

/** A built-in provider's key goes to its own host only, over TLS; without a key any address is allowed. */
function checkOwnHost(
  { id, builtin, url }: { id: string; builtin: BuiltinProvider; url: URL },
  part: Part,
  context: ManifestContext,
): void {
  if (builtin.api_key_env === undefined) return;
  if (isHostOf(builtin, url.hostname) && url.protocol === "https:") return;
  const hosts = builtin.hosts.map((host) => `https://${host}`).join(", ");
  const found = { provider: id, hosts, host: url.origin };
  context.refuse(problem("provider_address_fixed", found, placeOf(at(part, "base_url"))));
}

function apiOf(part: Part): Provider["api"] | undefined {
  const api = textOf(part);
  return api === "responses" || api === "chat" ? api : undefined;
}

function resolvePrices(part: Part): Readonly<Record<string, Price>> {
  const prices = fieldsOf(part).map(([model, price]) => {
    const input = numberOf(at(price, "input")) ?? 0;
    const cached = numberOf(at(price, "cached_input")) ?? input;
    return [model, { input, cached_input: cached, output: numberOf(at(price, "output")) ?? 0 }];
  });
  return Object.fromEntries(prices);
}
