import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Cuts out the part of GitHub's OpenAPI description that the tests' stand-in uses to check requests and responses:
 * test/support/github/openapi.json. The whole has 13 MB in a package of 385 MB, so it is no dependency: this script
 * fetches it with `npm pack` (some minutes), or takes an `api.github.com.json` as its argument.
 */

const packageName = "@octokit/openapi@23.0.2";

/** Every route that the product calls. After adding a call, add its route here and run this script. */
const routes = [
  "GET /repos/{owner}/{repo}",
  "GET /repos/{owner}/{repo}/actions/artifacts",
  "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}",
  "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}",
  "GET /repos/{owner}/{repo}/actions/runs/{run_id}",
  "GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts",
  "GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs",
  "GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs",
  "GET /repos/{owner}/{repo}/actions/runs",
  "GET /repos/{owner}/{repo}/activity",
  "POST /repos/{owner}/{repo}/check-runs",
  "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}",
  "GET /repos/{owner}/{repo}/collaborators/{username}/permission",
  "GET /repos/{owner}/{repo}/commits",
  "GET /repos/{owner}/{repo}/commits/{ref}",
  "GET /repos/{owner}/{repo}/commits/{ref}/check-runs",
  "GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls",
  "GET /repos/{owner}/{repo}/compare/{basehead}",
  "GET /repos/{owner}/{repo}/contents/{path}",
  "GET /repos/{owner}/{repo}/git/blobs/{file_sha}",
  "GET /repos/{owner}/{repo}/git/trees/{tree_sha}",
  "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
  "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
  "GET /repos/{owner}/{repo}/issues/comments/{comment_id}",
  "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}",
  "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}",
  "GET /repos/{owner}/{repo}/issues/{issue_number}/labels",
  "GET /repos/{owner}/{repo}/issues/{issue_number}/timeline",
  "GET /repos/{owner}/{repo}/pulls",
  "GET /repos/{owner}/{repo}/pulls/{pull_number}",
  "GET /repos/{owner}/{repo}/pulls/{pull_number}/files",
  "GET /repos/{owner}/{repo}/zipball/{ref}",
  "GET /user",
];

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}

/** Keys that only people read. */
const onlyForPeople: ReadonlySet<string> = new Set([
  "description",
  "example",
  "examples",
  "externalDocs",
  "title",
  "deprecated",
  "discriminator",
  "xml",
]);

const root = dirname(import.meta.dirname);
const described = await readDescription(process.argv[2]);
const slice = cut(described);
const path = join(root, "test/support/github/openapi.json");
const text = `${JSON.stringify(slice, undefined, 1)}\n`;
await writeFile(path, text);
execFileSync(join(root, "node_modules/.bin/oxfmt"), [path]);
console.log(`${path}: ${routes.length} routes, ${text.length} bytes`);

async function readDescription(given: string | undefined): Promise<JsonObject> {
  if (given !== undefined) return JSON.parse(await readFile(given, "utf8")) as JsonObject;
  const folder = await mkdtemp(join(tmpdir(), "openapi-"));
  try {
    console.log(`npm pack ${packageName} …`);
    execFileSync("npm", ["pack", packageName, "--pack-destination", folder], { stdio: "ignore" });
    const [archive = ""] = await readdir(folder);
    const member = "package/generated/api.github.com.json";
    execFileSync("tar", ["-xzf", join(folder, archive), "-C", folder, member]);
    return JSON.parse(await readFile(join(folder, member), "utf8")) as JsonObject;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The routes and the components that they use, without keys for people only. */
function cut(description: JsonObject): JsonObject {
  const operations = Object.fromEntries(
    routes.map((route) => [route, cutOperation(description, route)] as const),
  );
  const kept: Record<string, Json> = {};
  const open = references(operations);
  for (const name of open) {
    if (Object.hasOwn(kept, name)) continue;
    kept[name] = toSchema(at(description, ["components", "schemas", name]));
    open.push(...references(kept[name] ?? null));
  }
  const schemas = Object.fromEntries(Object.entries(kept).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const info = { from: packageName, by: "scripts/slice-openapi.ts" };
  return { info, operations, components: { schemas } };
}

function cutOperation(description: JsonObject, route: string): JsonObject {
  const [method = "", template = ""] = route.split(" ");
  const item = at(description, ["paths", template]);
  const operation = at(item, [method.toLowerCase()]);
  const parameters = [...list(item, "parameters"), ...list(operation, "parameters")]
    .map((each) => follow(description, each))
    .filter((each) => each["in"] === "query")
    .map((each) => ({ name: each["name"] ?? "", schema: toSchema(each["schema"] ?? {}) }));
  const body = bodySchema(description, operation["requestBody"]);
  const responses = Object.entries(object(operation["responses"])).map(
    ([status, response]) => [status, bodySchema(description, response) ?? true] as const,
  );
  return {
    query: parameters,
    ...(body === undefined ? {} : { body }),
    responses: Object.fromEntries(responses),
  };
}

function bodySchema(description: JsonObject, holder: Json | undefined): Json | undefined {
  if (holder === undefined) return undefined;
  const content = object(follow(description, holder)["content"]);
  const json = content["application/json"] ?? content["application/vnd.github.object"];
  return json === undefined ? undefined : toSchema(object(json)["schema"] ?? {});
}

/** Converts OpenAPI 3.0's dialect to JSON Schema: `nullable` becomes a type, and extensions and texts are removed. */
function toSchema(value: Json, isMap = false): Json {
  if (Array.isArray(value)) return value.map((each: Json) => toSchema(each));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value as JsonObject).flatMap(([key, each]): [string, Json][] => {
    const isProse = onlyForPeople.has(key) || key === "nullable" || key.startsWith("x-");
    if (!isMap && isProse) return [];
    // The values of `properties` are schemas, even if a property has a keyword's name; those of `enum` are data.
    if (!isMap && (key === "enum" || key === "default" || key === "required")) return [[key, each]];
    return [[key, toSchema(each, !isMap && key === "properties")]];
  });
  const schema = Object.fromEntries(entries);
  if (isMap || (value as JsonObject)["nullable"] !== true) return schema;
  return { anyOf: [schema, { type: "null" }] };
}

function references(value: Json): string[] {
  return [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name ?? "",
  );
}

function follow(description: JsonObject, value: Json): JsonObject {
  const reference = object(value)["$ref"];
  if (typeof reference !== "string") return object(value);
  return follow(description, at(description, reference.split("/").slice(1)));
}

function at(value: JsonObject, keys: readonly string[]): JsonObject {
  let found: Json | undefined = value;
  for (const key of keys) found = object(found)[key];
  if (found === undefined) throw new Error(`the description has no ${keys.join(" ")}`);
  return object(found);
}

function list(holder: JsonObject, key: string): readonly Json[] {
  const value = holder[key];
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function object(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}
