import { problem, Refusal } from "../model/refusal.ts";
import { resultFormats, type OpenedResults, type ResultFormat } from "../model/results.ts";
import { looksLikeCsv, openCsv } from "./table.ts";
import { looksLikeDeepeval, openDeepeval } from "./deepeval/deepeval.ts";
import { looksLikeInspect, openInspect } from "./inspect/inspect.ts";
import { looksLikeJsonl, openJsonl } from "./jsonl.ts";
import { looksLikeJunit, openJunit } from "./junit/junit.ts";
import { looksLikeKEval, openKEval } from "./k-eval.ts";
import { looksLikeLmEval, openLmEval } from "./lm-eval/lm-eval.ts";
import { looksLikePromptfoo, openPromptfoo } from "./promptfoo/promptfoo.ts";
import { looksLikeSygra, openSygra } from "./sygra.ts";
import { looksLikeWaza, openWaza } from "./waza-runs/waza.ts";
import type { ReadTable } from "./rows.ts";
import type { LooksLike, OpenResults, ResultHead, ResultShape, ResultSource } from "./source.ts";

/** Readers of tables, shared with data sets. */
interface TableReaders {
  readonly jsonl: ReadTable;
  readonly csv: ReadTable;
}

interface Format {
  readonly looksLike: LooksLike;
  readonly open: OpenResults;
  /** Whether the user may name its fields: tools' own formats have fixed names. */
  readonly namesFields: boolean;
}

type Formats = Readonly<Record<ResultFormat, Format>>;

/** Opens a file of results by its format; `auto` detects the format. */
export async function openResultFile(
  asked: {
    readonly source: ResultSource;
    readonly format: ResultFormat | "auto";
    readonly shape: ResultShape;
  },
  readers: TableReaders,
): Promise<{ readonly format: ResultFormat; readonly opened: OpenedResults }> {
  const { source, shape } = asked;
  if (source.size === 0)
    throw new Refusal(problem("results_empty", undefined, { file: source.path }));
  const formats = formatsWith(readers);
  const format = asked.format === "auto" ? await detect(source, formats) : asked.format;
  const { open, namesFields } = formats[format];
  if (!namesFields && Object.keys(shape.fields).length > 0)
    throw new Refusal(problem("results_fields_not_taken", { format }, { file: source.path }));
  return { format, opened: await open(source, shape) };
}

function formatsWith({ jsonl, csv }: TableReaders): Formats {
  return {
    promptfoo: { looksLike: looksLikePromptfoo, open: openPromptfoo, namesFields: false },
    inspect: { looksLike: looksLikeInspect, open: openInspect, namesFields: false },
    "lm-eval": { looksLike: looksLikeLmEval, open: openLmEval, namesFields: false },
    deepeval: { looksLike: looksLikeDeepeval, open: openDeepeval, namesFields: false },
    sygra: { looksLike: looksLikeSygra, open: openSygra, namesFields: false },
    waza: { looksLike: looksLikeWaza, open: openWaza, namesFields: false },
    "k-eval": { looksLike: looksLikeKEval, open: openKEval, namesFields: false },
    junit: { looksLike: looksLikeJunit, open: openJunit, namesFields: false },
    jsonl: {
      looksLike: looksLikeJsonl,
      open: (source, shape) => openJsonl(source, shape, jsonl),
      namesFields: true,
    },
    csv: {
      looksLike: looksLikeCsv,
      open: (source, shape) => openCsv(source, shape, csv),
      namesFields: true,
    },
  };
}

/** Tools' formats are tried first: their files may be JSON lines or CSV too. */
async function detect(source: ResultSource, formats: Formats): Promise<ResultFormat> {
  const head = await headOf(source);
  const claimed = resultFormats.filter((format) => formats[format].looksLike(head));
  const tools = claimed.filter((format) => !formats[format].namesFields);
  const [format, ...others] = tools.length > 0 ? tools : claimed;
  const place = { file: source.path };
  if (format === undefined)
    throw new Refusal(problem("results_unknown", { known: resultFormats }, place));
  if (others.length > 0)
    throw new Refusal(problem("results_ambiguous", { formats: [format, ...others] }, place));
  return format;
}

const headBytes = 64 * 1024;

async function headOf(source: ResultSource): Promise<ResultHead> {
  const file = await source.open();
  try {
    const bytes = await file.read(0, headBytes);
    const text = new TextDecoder("utf-8").decode(bytes);
    return { path: source.path, bytes, text, whole: source.size <= headBytes };
  } finally {
    await file.close();
  }
}
