import { fileURLToPath } from "node:url";
import { createFixture } from "fs-fixture";
import { openDataset } from "../../src/dataset/open.ts";
import { hashText, readBytes } from "../../src/io/files/files.ts";
import { formatProblem } from "../../src/model/refusal.ts";
import type { Case } from "../../src/model/outcomes/sample.ts";
import type { DatasetSpec } from "../../src/model/definition/dataset.ts";

/** Data of the publishers, where it is at hand. */
export const shared = fileURLToPath(new URL("../../../shared/data/", import.meta.url));

export interface Asked {
  readonly idField?: string | null;
  readonly targetOnly?: readonly string[];
  /** Bytes of a file that are kept in memory. */
  readonly keptUpTo?: number;
}

export function spec(absolute: string, idField?: string | null): DatasetSpec {
  const path = absolute.split("/").at(-1) ?? absolute;
  const format = path.endsWith(".csv") ? "csv" : "jsonl";
  return { file: { path, absolute }, format, id_field: idField };
}

export async function openFileOf(absolute: string, asked: Asked = {}) {
  const task = {
    dataset: spec(absolute, asked.idField),
    targetOnly: new Set(asked.targetOnly ?? []),
    ...(asked.keptUpTo !== undefined && { keptUpTo: asked.keptUpTo }),
  };
  return openDataset(task, { readBytes, hashText });
}

/** Opens a file of this content. */
export async function open(name: string, content: string | Buffer, asked: Asked = {}) {
  const fixture = await createFixture({ [name]: content });
  const opened = await openFileOf(fixture.getPath(name), asked);
  return { fixture, opened };
}

/** The cases of a file of this content; throws where there are problems. */
export async function cases(
  name: string,
  content: string | Buffer,
  asked: Asked = {},
): Promise<readonly Case[]> {
  const { fixture, opened } = await open(name, content, asked);
  try {
    if ("problems" in opened) throw new Error(opened.problems.map(formatProblem).join("\n"));
    return await collect(opened.dataset.cases());
  } finally {
    await fixture.rm();
  }
}

/** What is wrong with a file of this content, as `code file:line`. */
export async function complaints(
  name: string,
  content: string | Buffer,
  asked: Asked = {},
): Promise<readonly string[]> {
  return (await problems(name, content, asked)).map(
    ({ code, place }) => `${code} ${place?.file}:${place?.line ?? ""}`,
  );
}

export async function problems(name: string, content: string | Buffer, asked: Asked = {}) {
  const { fixture, opened } = await open(name, content, asked);
  await fixture.rm();
  return "problems" in opened ? opened.problems : [];
}

export async function collect(batches: AsyncIterable<readonly Case[]>): Promise<Case[]> {
  const all: Case[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}
