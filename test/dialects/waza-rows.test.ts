import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/model/json.ts";
import type { Translated } from "../../src/base/foreign.ts";
import { type Files, translated } from "../support/waza-files.ts";

// Skipped where ../shared, which is not part of the repository, is absent.
const file = "../shared/vectors/waza.json";

interface Vector {
  readonly id: string;
  readonly grader: string;
  readonly input: { readonly csv?: string; readonly files?: Files; readonly eval_yaml?: string };
  readonly expected: { readonly value?: readonly JsonObject[]; readonly error?: string };
}

const all: readonly Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
const tables = all.filter(({ grader }) => grader === "@csv_tasks" || grader === "@csv_load");

describe.skipIf(tables.length === 0)("tasks from a CSV file are waza's own vectors'", () => {
  it.each(tables)("$id", async ({ input, expected }) => {
    const found = await translated(evalFileOf(input), tableOf(input));
    // Without a task waza ends its run with "no test cases found".
    const isRefused = expected.error !== undefined || expected.value?.length === 0;
    expect(found.kind, JSON.stringify(found).slice(0, 300)).toBe(
      isRefused ? "refused" : "translated",
    );
    if (!isRefused) expect(rowsOf(found)).toEqual(told(expected.value ?? [], input));
  });
});

const graders = "graders: [{ type: text, name: g, config: { contains: [x] } }]\n";
const config =
  "name: e\nskill: s\nconfig: { trials_per_task: 1, timeout_seconds: 5, executor: mock, model: m }\n";

/** The vectors' eval files have no grader: waza's loader does not ask for one. */
function evalFileOf({ eval_yaml: text }: Vector["input"]): string {
  return `${text ?? `${config}tasks_from: data.csv\n`}${graders}`;
}

function tableOf({ csv, files = {} }: Vector["input"]): Files {
  if (csv !== undefined) return { "data.csv": csv };
  const own = Object.entries(files);
  return Object.fromEntries(own.map(([path, text]) => [path.replace(/^spec\//, ""), text]));
}

function rowsOf(found: Translated): readonly JsonObject[] {
  const document = found.kind === "translated" && isJsonObject(found.value) ? found.value : {};
  const rows = document["dataset"];
  const listed = Array.isArray(rows) ? rows : isJsonObject(rows) ? rows["rows"] : [];
  return (Array.isArray(listed) ? listed.filter(isJsonObject) : []).map(
    ({ id = null, name = null, prompt = null }) => ({ id, name, prompt }),
  );
}

/** `@csv_load` gives the columns alone: what becomes of them is what `@csv_tasks` shows. */
function told(value: readonly JsonObject[], { csv }: Vector["input"]): readonly JsonObject[] {
  if (csv === undefined) return value;
  return value.map(({ id, name, prompt = "" }, i) => ({
    id: id ?? name ?? `row-${i + 1}`,
    name: name ?? `row-${i + 1}`,
    prompt,
  }));
}
