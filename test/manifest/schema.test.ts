import { existsSync, readFileSync } from "node:fs";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withBuiltins } from "../../scripts/builtin-schemas.ts";
import { compiledSchemas, compileSchemas } from "../../scripts/compile-schemas.ts";
import { inParts } from "../../scripts/schema-parts.ts";
import { builtinGraders } from "../../src/model/definition/builtins.ts";
import { isJsonObject, type Json } from "../../src/model/json.ts";
import { validate } from "../../src/manifest/suite-schema.generated.mjs";
import { manifestsIn, seeds } from "../support/seed-manifests.ts";
import { objectAt, problemsOf } from "./resolve-text.ts";

const schema: unknown = JSON.parse(
  readFileSync(new URL("../../schemas/suite.schema.json", import.meta.url), "utf8"),
);

describe("the compiled validators", () => {
  it.each(compiledSchemas)("$file is made from today's schemas: npm run schemas", async (each) => {
    const compiled = new URL(`../../${each.file}`, import.meta.url);
    expect((await compileSchemas(each)) === readFileSync(compiled, "utf8")).toBe(true);
  });
});

describe("the parts of a schema, a function each", () => {
  const long = { type: "string", pattern: "x".repeat(400) };
  const twice = { type: "integer", minimum: 0, maximum: 9 };
  const brief = { type: "boolean" };
  const parts = inParts(
    {
      properties: {
        first: twice,
        second: twice,
        long,
        brief,
        other: brief,
        inner: { $ref: "#/$defs/inner" },
      },
      $defs: {
        inner: {
          discriminator: { propertyName: "type" },
          oneOf: [
            { properties: { type: { const: "a" } } },
            { properties: { type: { const: "b" } } },
          ],
        },
      },
    },
    "whole",
  );

  it("are its definitions, alternatives, long properties and those that are there twice", () => {
    const [a, b] = [{ type: { const: "a" } }, { type: { const: "b" } }];
    expect(Object.values(parts)).toEqual(
      expect.arrayContaining([{ properties: a }, { properties: b }, twice, long]),
    );
    expect(Object.keys(parts)).toHaveLength(6);
  });

  it("refer to each other by id", () => {
    const { whole = {}, inner = {} } = parts;
    const { first, second, brief: kept } = objectAt(whole, "properties");
    expect(first).toEqual(second);
    const { $ref: id } = objectAt(first);
    expect(parts[typeof id === "string" ? id : ""]).toEqual(twice);
    expect(kept).toEqual(brief);
    expect(objectAt(whole, "properties", "inner")).toEqual({ $ref: "inner#" });
    expect(inner["oneOf"]).toEqual([{ $ref: expect.any(String) }, { $ref: expect.any(String) }]);
  });
});

describe("the schema", () => {
  it("describes every property, for editors and the reference", () => {
    expect(undescribed(schema, "#")).toEqual([]);
  });

  it("has the built-in graders and their options as they are declared: npm run schemas", () => {
    if (!isJsonObject(schema)) throw new TypeError("the schema is no object");
    expect(JSON.stringify(withBuiltins(schema))).toBe(JSON.stringify(schema));
  });

  it("has an example of each option of a built-in grader, for editors", () => {
    const bare = Object.entries(builtinGraders).flatMap(([name, { options }]) =>
      Object.entries(options)
        .filter(([, about]) => isJsonObject(about) && about["examples"] === undefined)
        .map(([option]) => `${name}.${option}`),
    );
    expect(bare).toEqual([]);
  });

  it("has the options that the built-in graders declare", () => {
    const alternatives = objectAt(schema, "$defs", "graderObject")["oneOf"];
    for (const [type, { options }] of Object.entries(builtinGraders)) {
      const branch = (Array.isArray(alternatives) ? alternatives : []).find(
        (each) => isJsonObject(each) && each["title"] === type,
      );
      const {
        extracted_field: _field,
        target_template: _target,
        ...rest
      } = objectAt(branch, "properties");
      const { type: _type, name: _name, weight: _weight, ...own } = rest;
      expect(own).toEqual(options);
    }
  });
});

/** Paths of properties without a description, there or behind their `$ref`. */
function undescribed(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => undescribed(item, `${path}/${i}`));
  if (!isJsonObject(value)) return [];
  const properties = value["properties"];
  const bare = isJsonObject(properties)
    ? Object.entries(properties)
        .filter(([, property]) => !isDescribed(property))
        .map(([key]) => `${path}/properties/${key}`)
    : [];
  return [
    ...bare,
    ...Object.entries(value).flatMap(([key, part]) => undescribed(part, `${path}/${key}`)),
  ];
}

function isDescribed(property: Json): boolean {
  if (!isJsonObject(property)) return false;
  const { description, $ref } = property;
  if (typeof description === "string") return description !== "";
  return typeof $ref === "string" && isDescribed(objectAt(schema, ...$ref.split("/").slice(1)));
}

describe.skipIf(!existsSync(seeds))(
  "the hosted product's examples (../shared/seeds, skipped where absent)",
  () => {
    const examples = existsSync(seeds)
      ? readdirSync(seeds)
          .filter((name) => /^00[01]_/.test(name))
          .flatMap((name) => manifestsIn(readFileSync(`${seeds}${name}`, "utf8")))
      : [];

    it("are found", () => {
      expect(examples.length).toBeGreaterThanOrEqual(14);
    });

    it.each(examples.map((example, i) => [i, example] as const))(
      "%i is valid here",
      (_, manifest) => {
        validate(manifest);
        expect(
          (validate.errors ?? []).map(({ keyword, instancePath }) => [keyword, instancePath]),
        ).toEqual([]);
      },
    );

    it.each(examples.map((example, i) => [i, example] as const))(
      "%i resolves, its file ids mapped",
      async (_, manifest) => {
        const files = {
          file_dataset123: "data.jsonl",
          file_grader123: "grader.py",
          file_judge_grader123: "judge.py",
          file_preprocessor123: "preprocess.py",
        };
        const candidates = { app: { command: ["python3", "app.py"] } };
        const text = JSON.stringify({ ...manifest, files, candidates });
        expect(await problemsOf(text)).toEqual([]);
      },
    );
  },
);
