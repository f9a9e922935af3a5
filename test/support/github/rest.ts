import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createFaults, replyOf, type Fault, type Faults } from "./faults.ts";
import { answerGraphql } from "./graphql.ts";
import { readOpenApi, type OpenApi } from "./openapi.ts";
import { routes, type Answered, type Call, type Permission } from "./routes.ts";
import type { Asked, Reply, Services } from "./server.ts";
import { createState, type State } from "./state.ts";

/** GitHub's REST API in memory. Everything in and out is checked with GitHub's own description of it. */
export interface Rest {
  readonly state: State;
  readonly faults: Faults;
  /** Every request of the API, in order: `GET /repos/{owner}/{repo}/pulls`. */
  readonly calls: RestCall[];
  /** Violations of the description, or of rules in GitHub's prose. Must stay empty. */
  readonly violations: string[];
  /** Called before a request is answered: lets a test hold one writer until another is there. */
  readonly before: ((call: RestCall) => Promise<void> | void)[];
  /** Milliseconds that every answer takes. */
  latency: number;
  readonly answer: (asked: Asked, services: Services) => Promise<Reply | "hang" | "reset">;
}

export interface RestCall {
  readonly route: string;
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
  readonly status?: number;
}

export function createRest(): Rest {
  const openApi = readOpenApi();
  const rest: Rest = {
    state: createState(),
    faults: createFaults(),
    calls: [],
    violations: [],
    before: [],
    latency: 0,
    answer: (asked, services) => answer(asked, { rest, openApi, services }),
  };
  return rest;
}

interface Context {
  readonly rest: Rest;
  readonly openApi: OpenApi;
  readonly services: Services;
}

async function answer(asked: Asked, context: Context): Promise<Reply | "hang" | "reset"> {
  const { rest } = context;
  const found = findRoute(asked);
  const body: unknown = asked.body.length > 0 ? JSON.parse(asked.body.toString()) : undefined;
  const { pathname, search } = asked.url;
  const call = {
    route: found?.route ?? `${asked.method} ${pathname}`,
    path: pathname,
    query: search,
    body,
  };
  rest.calls.push(call);
  if (rest.latency > 0) await sleep(rest.latency);
  for (const wait of rest.before) await wait(call);
  const fault = rest.faults.take(call.route);
  const broken = fault && (await strike(fault));
  if (broken !== undefined) return broken;
  if (pathname === "/graphql") return answerGraphql(asked, rest);
  if (found === undefined) {
    rest.violations.push(`the stand-in has no ${call.route}`);
    return json(404, { message: "Not Found" });
  }
  return answerRoute({ ...found, asked, body }, context);
}

async function strike(fault: Fault): Promise<Reply | "hang" | "reset" | undefined> {
  if (fault.as === "hang" || fault.as === "reset") return fault.as;
  if (fault.as === "slow") await sleep(fault.slowMilliseconds ?? 1500);
  return replyOf(fault);
}

interface Found {
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
}

/** `/repos/{owner}/{repo}/pulls/{pull_number}` as an expression; a path or a range of commits may hold slashes. */
const patterns = Object.keys(routes).map((route) => {
  const [method, template = ""] = route.split(" ");
  const pattern = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    ["path", "basehead", "ref", "tree_sha"].includes(name) && template.endsWith(`{${name}}`)
      ? `(?<${name}>.+)`
      : `(?<${name}>[^/]+)`,
  );
  return { route, method, pattern: new RegExp(`^${pattern}$`) };
});

function findRoute({ method, url }: Asked): Found | undefined {
  for (const { route, method: verb, pattern } of patterns) {
    const match = verb === method ? pattern.exec(url.pathname) : null;
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, value]) => [
      name,
      decodeURIComponent(value),
    ]);
    return { route, params: Object.fromEntries(params) as Record<string, string> };
  }
  return undefined;
}

function answerRoute(
  { route, params, asked, body }: Found & { asked: Asked; body: unknown },
  { rest, openApi, services }: Context,
): Reply {
  const { state } = rest;
  const serving = routes[route];
  if (serving === undefined) throw new Error(route);
  const name = `${params["owner"]}/${params["repo"]}`;
  const isOther = params["owner"] !== undefined && name !== repositoryName(state);
  // A public fork's pushes are readable for everybody.
  const isFork = route.endsWith("/activity") && state.activities.has(name);
  if (isOther && !isFork) return json(404, { message: "Not Found" });
  const refused = refuse(asked, isFork ? [] : serving.needs, state);
  if (refused !== undefined) return refused;
  const wrong = openApi.checkRequest(route, { query: asked.url.searchParams, body });
  if (wrong !== undefined) {
    rest.violations.push(`${route}: ${wrong}`);
    return json(422, { message: "Invalid request.", errors: [{ message: wrong }] });
  }
  const call: Call = { params, query: asked.url.searchParams, body, state, services };
  const answered = serving.answer(call);
  return deliver(answered, { route, rest, openApi, asked });
}

/** No token, or one that may not. */
function refuse(asked: Asked, needs: Permission, { token }: State): Reply | undefined {
  if (!/^(token|bearer) \S+$/i.test(asked.headers.authorization ?? ""))
    return json(401, { message: "Requires authentication" });
  const allowed = needs.some(([name, right]) => {
    const has = token.permissions[name];
    return has === "write" || has === right;
  });
  if (allowed || needs.length === 0) return undefined;
  return json(403, { message: "Resource not accessible by integration", status: "403" });
}

function deliver(
  { status, body, headers = {} }: Answered,
  { route, rest, openApi, asked }: { route: string; rest: Rest; openApi: OpenApi; asked: Asked },
): Reply {
  if (body === undefined) {
    const { location } = headers;
    // As GitHub does: an absolute address.
    return {
      status,
      headers: location === undefined ? headers : { location: new URL(location, asked.url).href },
    };
  }
  const list = Array.isArray(body) || status >= 400 ? body : (body as object);
  const { items, link } = paginate(list, asked.url);
  const whole = status >= 400 ? body : openApi.complete(route, status, items);
  const wrong = openApi.checkResponse(route, status, whole);
  if (wrong !== undefined) rest.violations.push(`answer of ${route}: ${wrong}`);
  const text = JSON.stringify(whole);
  const etag = `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"`;
  if (asked.method === "GET" && asked.headers["if-none-match"] === etag)
    return { status: 304, headers: { etag } };
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", etag, ...link, ...headers },
    body: text,
  };
}

/** A list, or an object that holds one beside `total_count`, cut to its page. */
function paginate(body: unknown, url: URL): { items: unknown; link: Record<string, string> } {
  const inner = Object.entries(body as object).find(
    ([key, value]) => key !== "files" && Array.isArray(value),
  );
  const isCounted = typeof body === "object" && body !== null && "total_count" in body;
  const all: unknown = Array.isArray(body) ? body : isCounted ? inner?.[1] : undefined;
  if (!Array.isArray(all)) return { items: body, link: {} };
  const size = Number(url.searchParams.get("per_page") ?? 30);
  const page = Number(url.searchParams.get("page") ?? 1);
  const part: unknown[] = all.slice((page - 1) * size, page * size);
  const next = new URL(url);
  next.searchParams.set("page", String(page + 1));
  const link: Record<string, string> =
    page * size < all.length ? { link: `<${next.href}>; rel="next"` } : {};
  return {
    items: Array.isArray(body) ? part : { ...(body as object), [inner?.[0] ?? ""]: part },
    link,
  };
}

function repositoryName({ repository }: State): string {
  return `${repository.owner}/${repository.repo}`;
}

export function json(status: number, body: object): Reply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
