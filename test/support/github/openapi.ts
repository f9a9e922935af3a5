import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";

/** GitHub's own description of its REST API, cut by scripts/slice-openapi.ts: the stand-in is checked with it. */
export interface OpenApi {
  /** The violation of the description by a request; undefined if none. */
  readonly checkRequest: (route: string, request: CheckedRequest) => string | undefined;
  readonly checkResponse: (route: string, status: number, body: unknown) => string | undefined;
  /** A whole response of this status: the given values, and the minimum of others that the description requires. */
  readonly complete: (route: string, status: number, given: unknown) => unknown;
}

export interface CheckedRequest {
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface Schema {
  readonly [key: string]: unknown;
}

interface Operation {
  readonly query: readonly { readonly name: string; readonly schema: Schema }[];
  readonly body?: Schema;
  readonly responses: Readonly<Record<string, Schema | true>>;
}

interface Slice {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let compiledOnce: OpenApi | undefined;

/** The description, compiled once for all stand-ins of a process: compiling takes longer than most tests. */
export function readOpenApi(): OpenApi {
  return (compiledOnce ??= compileOpenApi());
}

function compileOpenApi(): OpenApi {
  const path = join(import.meta.dirname, "openapi.json");
  const text = readFileSync(path, "utf8").replaceAll('"#/components/', '"github#/components/');
  const slice = JSON.parse(text) as Slice;
  // Compiled to be used a few times: quickly, not well.
  const quick = { inlineRefs: false, code: { optimize: false } } as const;
  const ajv = new Ajv({ strict: false, coerceTypes: false, allErrors: true, formats, ...quick });
  ajv.addSchema({ $id: "github", components: slice.components });
  const compiled = new Map<Schema, ValidateFunction>();
  const errorsOf = (schema: Schema, value: unknown): string | undefined => {
    const check = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, check);
    return check(value) ? undefined : ajv.errorsText(check.errors?.slice(0, 5));
  };
  const operationOf = (route: string): Operation => {
    const operation = slice.operations[route];
    if (operation === undefined) throw new Error(`scripts/slice-openapi.ts does not cut ${route}`);
    return operation;
  };
  return {
    checkRequest: (route, { query, body }) => {
      const operation = operationOf(route);
      return checkQuery(operation, query, errorsOf) ?? checkBody(operation, body, errorsOf);
    },
    checkResponse: (route, status, body) => {
      const schema = operationOf(route).responses[String(status)];
      // GitHub answers every route with errors that the description does not list.
      if (schema === undefined) return status >= 400 ? undefined : `status ${status}`;
      return schema === true ? undefined : errorsOf(schema, body);
    },
    complete: (route, status, given) => {
      const schema = operationOf(route).responses[String(status)];
      if (schema === undefined || schema === true) return given;
      return complete(schema, given, slice.components.schemas);
    },
  };
}

const formats = {
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  uri: /^[a-z]+:\/\/\S+$/,
  email: true,
  timestamp: true,
  "uri-template": true,
  "repo.nwo": true,
  ip: true,
  int64: true,
} as const;

type ErrorsOf = (schema: Schema, value: unknown) => string | undefined;

function checkQuery(
  { query: known }: Operation,
  query: URLSearchParams,
  errorsOf: ErrorsOf,
): string | undefined {
  for (const [name, text] of query) {
    const parameter = known.find((one) => one.name === name);
    if (parameter === undefined) return `unknown query parameter ${name}`;
    const { type } = parameter.schema;
    const value = type === "integer" ? Number(text) : type === "boolean" ? text === "true" : text;
    const errors = errorsOf(parameter.schema, value);
    if (errors !== undefined) return `query parameter ${name}: ${errors}`;
    // This limit is in the description's prose only.
    if (name === "per_page" && Number(text) > 100) return `per_page ${text} is more than 100`;
  }
  return undefined;
}

function checkBody(
  { body: schema }: Operation,
  body: unknown,
  errorsOf: ErrorsOf,
): string | undefined {
  if (schema === undefined) return body === undefined ? undefined : "a body that is not asked for";
  const known = Object.keys((schema["properties"] as object | undefined) ?? {});
  const unknown = Object.keys((body as object | undefined) ?? {}).filter(
    (key) => !known.includes(key),
  );
  if (unknown.length > 0) return `unknown fields ${unknown.join(", ")}`;
  return errorsOf(schema, body ?? {});
}

type Components = Readonly<Record<string, Schema>>;

/** Completes a given value with fillers for everything else that the schema requires. */
function complete(schema: Schema, given: unknown, components: Components): unknown {
  const plain = resolve(schema, components, given);
  if (given === null) return null;
  if (Array.isArray(given)) {
    const items = (plain["items"] as Schema | undefined) ?? {};
    return given.map((each: unknown) => complete(items, each, components));
  }
  if (typeof given === "object") return completeObject(plain, given, components);
  return given === undefined ? filler(plain, components) : given;
}

function completeObject(schema: Schema, given: object, components: Components): object {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema["required"] ?? []) as readonly string[];
  const entries = Object.entries(given).map(([key, value]: [string, unknown]) => {
    const known = properties[key];
    return [key, known === undefined ? value : complete(known, value, components)] as const;
  });
  const missing = required.filter((key) => !Object.hasOwn(given, key));
  const added = missing.map(
    (key) => [key, complete(properties[key] ?? {}, undefined, components)] as const,
  );
  return Object.fromEntries([...entries, ...added]);
}

function filler(schema: Schema, components: Components): unknown {
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  const type: unknown = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  switch (type) {
    case "string":
      return textOf(schema["format"]);
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return completeObject(schema, {}, components);
    default:
      return null;
  }
}

function textOf(format: unknown): string {
  if (format === "date-time") return "2026-11-21T12:00:00Z";
  return format === "uri" ? "https://github.test/filler" : "filler";
}

/** References followed, parts of a whole joined; of alternatives null if nothing is given, else the first other one. */
function resolve(schema: Schema, components: Components, given: unknown): Schema {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const name = reference.split("/").at(-1) ?? "";
    return resolve(components[name] ?? {}, components, given);
  }
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as readonly Schema[] | undefined;
  if (choices !== undefined) {
    const hasNull = choices.some((choice) => choice["type"] === "null");
    if (hasNull && given === undefined) return { type: "null" };
    return resolve(choices.find((choice) => choice["type"] !== "null") ?? {}, components, given);
  }
  const parts = schema["allOf"] as readonly Schema[] | undefined;
  if (parts === undefined) return schema;
  const wholes = parts.map((part) => resolve(part, components, given));
  return {
    type: "object",
    properties: Object.assign({}, ...wholes.map((part) => part["properties"])) as unknown,
    required: wholes.flatMap((part) => (part["required"] ?? []) as readonly string[]),
  };
}
