import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

interface Slice {
  readonly bodies: Readonly<Record<"chat" | "responses", string>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const file = join(import.meta.dirname, "openai.json");
const validators = new Map<string, ValidateFunction>();

/** Violations of OpenAI's own API description by a request's body: unknown fields are not allowed. */
export function requestProblems(api: "chat" | "responses", body: unknown): readonly string[] {
  const validate = validators.get(api) ?? compile(api);
  validators.set(api, validate);
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath}: ${message ?? "?"}`,
  );
}

function compile(api: "chat" | "responses"): ValidateFunction {
  const { bodies, components } = JSON.parse(readFileSync(file, "utf8")) as Slice;
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  const $ref = `#/components/schemas/${bodies[api]}`;
  return ajv.compile({ $ref, unevaluatedProperties: false, components });
}
