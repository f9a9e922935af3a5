import { readFile, writeFile } from "node:fs/promises";
import { Ajv } from "ajv";
import type { Options } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { transform } from "esbuild";
import { format } from "oxfmt";
import { isJsonObject, type JsonObject } from "../src/model/json.ts";
import { withBuiltins } from "./builtin-schemas.ts";
import { inParts, withoutWords } from "./schema-parts.ts";

/** A module of validators, and the schemas that it is compiled from. */
interface Compiled {
  /** Relative to the repository. */
  readonly file: string;
  readonly options: Options;
  /** Schema file by exported name. */
  readonly exports: Readonly<Record<string, string>>;
  /** Definitions in these schemas that are exported too, by exported name. */
  readonly parts?: Readonly<Record<string, string>>;
  /**
   * True if nearly all of its code is needed whenever any of it is. Otherwise it is split into many small functions, of
   * which few are used.
   */
  readonly isUsedWhole: boolean;
}

/** The manifest's schema reports every mistake with its value, for our own messages. */
const suite: Compiled = {
  file: "src/manifest/suite-schema.generated.mjs",
  options: {
    allErrors: true,
    verbose: true,
    messages: false,
    discriminator: true,
    inlineRefs: false,
  },
  exports: { validate: "schemas/suite.schema.json" },
  parts: { validateChecks: "rowChecks" },
  isUsedWhole: false,
};

/** The files of a run directory are either valid or refused: the first mistake is enough. */
const run: Compiled = {
  file: "src/store/run-schemas.generated.mjs",
  options: {},
  exports: {
    isRun: "schemas/run.schema.json",
    isSample: "schemas/sample.schema.json",
    isScore: "schemas/score.schema.json",
  },
  isUsedWhole: true,
};

export const compiledSchemas: readonly Compiled[] = [suite, run];

const root = new URL("../", import.meta.url);

/** ajv's validators as a separate module. Compiling at start would cost some 200 ms, ten times the time to load this. */
export async function compileSchemas({
  file,
  options,
  exports,
  parts = {},
  isUsedWhole,
}: Compiled): Promise<string> {
  const ajv = new Ajv({
    ...options,
    allowUnionTypes: true,
    strictRequired: false,
    strictTypes: false,
    code: { source: true, esm: true },
  });
  // VS Code's keyword: the message for a text that does not match a pattern.
  ajv.addVocabulary(["patternErrorMessage"]);
  for (const [name, path] of Object.entries(exports)) {
    const schema = withoutWords(await readSchema(path));
    const all = isUsedWhole ? { [name]: schema } : inParts(schema, name);
    for (const [id, part] of Object.entries(all)) ajv.addSchema(part, id);
  }
  const names = Object.fromEntries(Object.keys(exports).map((name) => [name, name]));
  const text = withoutRequire(standaloneCode.default(ajv, { ...names, ...parts }));
  const { code } = await transform(text, {
    format: "esm",
    minify: true,
    target: "node24",
    charset: "utf8",
    banner: [
      `// Generated from ${Object.values(exports).join(", ")} by scripts/compile-schemas.ts; do not edit.`,
      "/* oxlint-disable */",
      "",
    ].join("\n"),
  });
  if (Buffer.byteLength(code) === 0) throw new Error(`${file} came out empty`);
  return code;
}

async function readSchema(path: string): Promise<JsonObject> {
  const schema: unknown = JSON.parse(await readFile(new URL(path, root), "utf8"));
  if (isJsonObject(schema)) return schema;
  throw new TypeError(`${path} is no object`);
}

/** ajv's ESM output still calls `require` for its run-time helpers, of which the schemas need one. */
function withoutRequire(code: string): string {
  const own = code.replaceAll(
    'require("ajv/dist/runtime/ucs2length").default',
    "(text) => [...text].length",
  );
  const left = /require\([^)]*\)/.exec(own);
  if (left !== null) throw new Error(`a compiled schema needs ${left[0]}: give it a helper`);
  return own;
}

/** Adds the declarations of src/model to the manifest's schema, formatted like other files. */
async function writeSuiteSchema(): Promise<void> {
  const path = "schemas/suite.schema.json";
  const file = new URL(path, root);
  const schema = await readSchema(path);
  const text = JSON.stringify(withBuiltins(schema), null, 2);
  const settings: unknown = JSON.parse(await readFile(new URL(".oxfmtrc.json", root), "utf8"));
  const { code } = await format(file.pathname, text, isJsonObject(settings) ? settings : {});
  await writeFile(file, code);
}

if (import.meta.main) {
  await writeSuiteSchema();
  for (const each of compiledSchemas) {
    await writeFile(new URL(each.file, root), await compileSchemas(each));
  }
}
