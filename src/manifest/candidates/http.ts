import type { Json } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { checkKey, readAddress } from "./address.ts";
import type { ManifestContext } from "../context.ts";
import { resolveHeaders } from "./headers.ts";
import {
  at,
  fieldsOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  type Part,
  placeOf,
  textOf,
} from "../../base/part.ts";
import { resolvePointer } from "../pointer.ts";

type HttpSpec = Extract<CandidateSpec, { kind: "http" }>;
/** Settings that candidates of several kinds share. */
type Handed = Pick<HttpSpec, "inputs" | "env" | "pass" | "timeout_seconds">;

const template = /\{\{[^{}"\n]*\}\}/g;
const fromEnvironment = /\{\{\s*env\.([^{}"\n]*?)\s*\}\}/g;

/** An app over HTTP: its address, its request, and the position of its answer. */
export function resolveHttp(
  { id, part }: { readonly id: string; readonly part: Part },
  handed: Handed,
  context: ManifestContext,
): HttpSpec | undefined {
  const http = at(part, "http");
  const url = resolveUrl(at(http, "url"), context);
  const method = textOf(at(http, "method")) ?? "POST";
  const headers = resolveHeaders(at(http, "headers"), "http", context);
  const output = resolvePointer(at(http, "output"), context);
  const calls = at(http, "tool_calls");
  const tool_calls = isPresent(calls) ? resolvePointer(calls, context) : undefined;
  checkTemplates(http, method, context);
  checkEnvironment(part, url, context);
  if (url === undefined || output === undefined) return undefined;
  return {
    id,
    kind: "http",
    url: textOf(at(http, "url")) ?? "",
    method,
    headers,
    body: at(http, "body").value,
    output,
    ...(tool_calls !== undefined && { tool_calls }),
    ...handed,
    max_retries: numberOf(at(part, "max_retries")) ?? 0,
  };
}

/** Templates are allowed only in the path and the query: a row must not choose the host. */
function resolveUrl(part: Part, context: ManifestContext): URL | undefined {
  const written = textOf(part);
  if (written === undefined || written === "") return undefined;
  const start = written.search(template);
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*[/?#]/i.exec(written)?.[0] ?? written;
  if (start !== -1 && (start < origin.length || origin === written)) {
    return context.refuse(problem("url_template_host", undefined, placeOf(part)));
  }
  return readAddress(written.replaceAll(template, "x"), part, context);
}

function checkTemplates(http: Part, method: string, context: ManifestContext): void {
  const body = at(http, "body");
  if (method === "GET" && isPresent(body)) {
    context.refuse(problem("http_body_of_get", undefined, keyPlaceOf(body)));
  }
  const texts = textsIn(http).map(({ text }) => text.replaceAll(fromEnvironment, ""));
  if (texts.some((text) => text.search(template) !== -1)) return;
  context.refuse(problem("http_same_request", undefined, placeOf(http)));
}

/**
 * Checks that every `{{env.NAME}}` is named in `env`, that none is in the address, and that all names in `env` are used.
 */
function checkEnvironment(part: Part, url: URL | undefined, context: ManifestContext): void {
  const http = at(part, "http");
  const named = itemsOf(at(part, "env"));
  const pass = at(part, "pass");
  if (isPresent(pass)) {
    const why = "the app is sent what url, headers and body name";
    context.warn(problem("setting_idle", { key: "pass", why }, keyPlaceOf(pass)));
  }
  const used = new Set<string>();
  for (const { text, part: found } of textsIn(http)) {
    for (const [, name = ""] of text.matchAll(fromEnvironment)) {
      used.add(name);
      if (found.path.length === http.path.length + 1 && found.path.at(-1) === "url") {
        context.refuse(problem("http_env_in_url", { name }, placeOf(found)));
      } else if (!named.some((each) => each.value === name)) {
        context.refuse(problem("http_env_undeclared", { name }, placeOf(found)));
      }
    }
  }
  for (const each of named) {
    const name = textOf(each) ?? "";
    if (url !== undefined) checkKey(each, url, context);
    if (used.has(name)) continue;
    const idle = { key: `env: [${name}]`, why: `no header and no body has {{env.${name}}}` };
    context.warn(problem("setting_idle", idle, placeOf(each)));
  }
}

/** Every text of the request that is a template. */
function textsIn(http: Part): readonly { readonly text: string; readonly part: Part }[] {
  return [at(http, "url"), at(http, "headers"), at(http, "body")].flatMap(textsUnder);
}

function textsUnder(part: Part): readonly { readonly text: string; readonly part: Part }[] {
  const text: Json | undefined = part.value;
  if (typeof text === "string") return [{ text, part }];
  return [...itemsOf(part), ...fieldsOf(part).map(([, field]) => field)].flatMap(textsUnder);
}
