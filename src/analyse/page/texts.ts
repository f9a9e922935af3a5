import { cutTextStart } from "../../base/cut-text.ts";
import { casesPerChunk, type PageCase, type PageSample } from "../../model/page.ts";
import type { HashText } from "../../model/ports/files.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import type { SampleReader } from "../../model/ports/store.ts";
import { unmatched } from "../../gate/pairing/matching.ts";
import { clip } from "../../report/escape.ts";
import { sampleIdFor } from "../../run/plan.ts";
import type { QueuedCase } from "./queue.ts";
import { repeatsOf } from "./tables.ts";

/** Readers of the texts of both sides. */
interface TextSources {
  readonly now: SampleReader;
  readonly before: SampleReader;
  readonly hashText: HashText;
}

/** Limits of one text on a page, and of all texts of a page, in UTF-16 units. The full texts are in samples.jsonl. */
const longestText = 100_000;
const longestPage = 64_000_000;
/** Limit of all texts of one case; longer ones are cut. */
const longestCase = 1_000_000;

/** The texts of cases as JSON, in chunks, until the page is full. Memory holds one chunk. */
export async function* textChunks(
  cases: readonly QueuedCase[],
  sources: TextSources,
): AsyncGenerator<readonly PageCase[]> {
  let left = longestPage;
  for (let from = 0; from < cases.length && left > 0; from += casesPerChunk) {
    const chunk: PageCase[] = [];
    for (const one of cases.slice(from, from + casesPerChunk)) {
      const read = await readCase(one, sources);
      left -= JSON.stringify(read).length;
      chunk.push(read);
      if (left <= 0) break;
    }
    yield chunk;
  }
}

async function readCase(one: QueuedCase, sources: TextSources): Promise<PageCase> {
  const { table, position, caseId } = one;
  const { task, candidate, cases, counterpart } = table.cell;
  const at = { task, candidate, caseId };
  const now = await readSamples(at, repeatsOf(cases, position), sources.now, sources.hashText);
  const other =
    counterpart.kind === "run" ? (counterpart.matching.partner[position] ?? unmatched) : unmatched;
  if (counterpart.kind === "absent" || other === unmatched) return caseOf(now, []);
  const there = {
    task,
    candidate: counterpart.candidate,
    caseId: counterpart.cases.ids[other] ?? caseId,
  };
  const repeats = repeatsOf(counterpart.cases, other);
  return caseOf(now, await readSamples(there, repeats, sources.before, sources.hashText));
}

// oxlint-disable-next-line max-params -- a case, which of its samples, and where from
async function readSamples(
  {
    task,
    candidate,
    caseId,
  }: { readonly task: string; readonly candidate: string; readonly caseId: string },
  repeats: readonly number[],
  reader: SampleReader,
  hashText: HashText,
): Promise<readonly Sample[]> {
  const found: Sample[] = [];
  for (const repeat of repeats) {
    const sample = await reader.read(sampleIdFor(hashText)([task, candidate, caseId, repeat]));
    if (sample !== undefined) found.push(sample);
  }
  return found;
}

function caseOf(now: readonly Sample[], before: readonly Sample[]): PageCase {
  const whole = assemble(now, before);
  for (const most of [longestText, 10_000, 1_000]) {
    const cut = withShortTexts(whole, most);
    if (most === 1_000 || JSON.stringify(cut).length <= longestCase) return cut;
  }
  return whole;
}

function assemble(now: readonly Sample[], before: readonly Sample[]): PageCase {
  const any = now[0] ?? before[0];
  const asked = { prompt: any?.prompt ?? "", messages: any?.messages };
  return {
    row: any?.dataset_row ?? {},
    prompt: asked.prompt,
    ...(any?.messages && { messages: any.messages }),
    target: any?.target ?? null,
    ...(any?.targets && { targets: any.targets }),
    now: now.map((sample) => pageSample(sample, asked)),
    before: before.map((sample) => pageSample(sample, asked)),
  };
}

function pageSample(
  sample: Sample,
  asked: { readonly prompt: string; readonly messages: Sample["messages"] },
): PageSample {
  const { prompt, messages, extracted_fields: fields, format_error: formatError } = sample;
  const isSame = JSON.stringify(messages) === JSON.stringify(asked.messages);
  return {
    repeat: sample.repeat,
    ...(prompt !== asked.prompt && { prompt }),
    ...(!isSame && messages && { messages }),
    output: sample.output_text,
    extracted: sample.extracted_output,
    ...(fields && { fields }),
    ...(formatError !== undefined && { formatError }),
    incomplete: sample.incomplete,
    scores: sample.scores,
    judge: sample.judge,
    printed: sample.printed,
    calls: sample.model_calls,
    transcript: sample.transcript,
    error: sample.error,
    usage: sample.usage,
    latencyMs: sample.latency_ms,
    cached: sample.cached,
  };
}

/** Cuts every text of a case to `most` units. An error's message keeps its end, where a traceback names the error. */
function withShortTexts(one: PageCase, most: number): PageCase {
  const short = (sample: PageSample): PageSample => {
    const cut = shorten(sample, most);
    const { error } = sample;
    return error === null
      ? cut
      : { ...cut, error: { ...error, message: clipStart(error.message, most) } };
  };
  return { ...shorten(one, most), now: one.now.map(short), before: one.before.map(short) };
}

function clipStart(text: string, most: number): string {
  if (text.length <= most) return text;
  return `(${text.length - most} characters before) … ${cutTextStart(text, most)}`;
}

function shorten<T>(value: T, most: number): T;
function shorten(value: unknown, most: number): unknown {
  if (typeof value === "string") return clip(value, most);
  if (Array.isArray(value)) return value.map((each: unknown) => shorten(each, most));
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shorten(each, most)]));
}
