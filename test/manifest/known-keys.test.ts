import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { belongsTo, sameMeaning, tables } from "../../src/manifest/known-keys.ts";

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const schema = JSON.parse(readFileSync("schemas/suite.schema.json", "utf8")) as Schema;

function keysAt(section: string): readonly string[] {
  let at: Schema = schema;
  for (const key of section.split(".")) at = follow(at.properties?.[key] ?? {});
  return Object.keys(at.properties ?? {});
}

function follow(at: Schema): Schema {
  return at.$ref === undefined ? at : (schema.$defs?.[at.$ref.replace("#/$defs/", "")] ?? {});
}

it("a key is sent only where the schema has it", () => {
  for (const [section, keys] of Object.entries(tables.sections)) {
    const known = keysAt(section);
    if (known.length > 0) expect(known, section).toEqual(expect.arrayContaining([...keys]));
  }
  const everywhere = JSON.stringify(schema);
  for (const [key, others] of Object.entries(tables.otherNames)) {
    expect(everywhere).toContain(`"${key}":`);
    // A name that is a key of ours somewhere would be sent away from where it is right.
    for (const other of others) expect(Object.keys(schema.properties ?? {})).not.toContain(other);
  }
});

it("a key is sent to its section by our name and by another tool's", () => {
  expect(belongsTo("budget")).toBe("run.budget");
  expect(belongsTo("max_tokens")).toBe("run.generation.max_output_tokens");
  expect(belongsTo("banana")).toBeUndefined();
  expect(sameMeaning("max_tokens", ["max_output_tokens"])).toBe("max_output_tokens");
  expect(sameMeaning("max_tokens", ["other"])).toBeUndefined();
});
