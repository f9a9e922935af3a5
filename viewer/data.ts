import { signal } from "@preact/signals";
import {
  casesPerChunk,
  pageFormat,
  pageIds,
  type PageCase,
  type PageIndex,
} from "../src/model/page.ts";

/** Texts that have been opened, by run and chunk. */
const chunks = new Map<string, Promise<readonly PageCase[]>>();

/** Increases when texts have been opened; components that search texts read it, so that they update. */
export const opened = signal(0);
const texts = new Map<string, PageCase>();

/** Data that the page shows before a case is opened. Throws an Error with a message if the file is incomplete. */
export async function openIndex(): Promise<PageIndex> {
  const value = await unpack(pageIds.index);
  if (isIndex(value)) return value;
  throw new Error("The data in this file is not of this version of the report.");
}

/** Opens the texts of a case. Throws an Error with a message for people if the file is incomplete. */
export async function openCase(run: number, i: number): Promise<PageCase | undefined> {
  const chunk = await openChunk(run, Math.floor(i / casesPerChunk));
  return chunk[i % casesPerChunk];
}

/** The texts of a case if they have been opened. */
export function openedCase(run: number, i: number): PageCase | undefined {
  return texts.get(`${run}/${i}`);
}

/** Opens the texts of all cases, one chunk after the other, so that they can be searched. */
export async function openAll(run: number, withTexts: number): Promise<void> {
  for (let at = 0; at * casesPerChunk < withTexts; at += 1) await openChunk(run, at);
}

function openChunk(run: number, at: number): Promise<readonly PageCase[]> {
  const id = pageIds.chunk(run, at);
  const known = chunks.get(id);
  if (known !== undefined) return known;
  const opening = readChunk(id).then((cases) => {
    for (const [i, one] of cases.entries()) texts.set(`${run}/${at * casesPerChunk + i}`, one);
    opened.value += 1;
    return cases;
  });
  chunks.set(id, opening);
  return opening;
}

async function readChunk(id: string): Promise<readonly PageCase[]> {
  const value = await unpack(id);
  if (isChunk(value)) return value;
  throw new Error("The texts in this file are not whole.");
}

async function unpack(id: string): Promise<unknown> {
  const packed = document.getElementById(id)?.textContent ?? "";
  if (packed === "")
    throw new Error("The file is not whole: it was cut off while it was written or sent.");
  if (typeof DecompressionStream === "undefined")
    throw new Error(
      "This browser can't unpack the report's data (it has no DecompressionStream). Any browser of 2023 or later can; the same figures are in summary.md of the run.",
    );
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(unpacked).text());
}

function isIndex(value: unknown): value is PageIndex {
  return (
    typeof value === "object" && value !== null && "format" in value && value.format === pageFormat
  );
}

function isChunk(value: unknown): value is readonly PageCase[] {
  return Array.isArray(value);
}
