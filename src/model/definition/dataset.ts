import type { Case } from "../outcomes/sample.ts";
import type { FileRef } from "./suite.ts";
import type { JsonObject } from "../json.ts";

/** The formats of data set files. A new one needs a row here and a reader in `src/dataset` that `open.ts` names. */
export const datasetFormats = {
  jsonl: { endings: [".jsonl", ".ndjson"] },
  json: { endings: [".json"] },
  csv: { endings: [".csv", ".tsv"] },
} satisfies Readonly<Record<string, { readonly endings: readonly string[] }>>;

export type DatasetFormat = keyof typeof datasetFormats;

export const datasetEndings = Object.values(datasetFormats).flatMap(({ endings }) => endings);

/** Whether a text names a format. */
export function isDatasetFormat(name: string): name is DatasetFormat {
  return Object.hasOwn(datasetFormats, name);
}

/** The format of a file by the ending of its name; undefined if the ending is unknown. */
export function formatOfName(path: string): DatasetFormat | undefined {
  const name = path.toLowerCase();
  return Object.keys(datasetFormats)
    .filter(isDatasetFormat)
    .find((format) => datasetFormats[format].endings.some((ending) => name.endsWith(ending)));
}

/** Source of rows: a file in the repository, or a remote data set that is downloaded first. */
export type DatasetSource = DatasetSpec | RemoteDataset;

export interface DatasetSpec {
  /** The manifest itself if the rows are inline. */
  readonly file: FileRef;
  /** Rows within the manifest. */
  readonly inline?: InlineRows;
  readonly format: DatasetFormat;
  /** undefined: `id` if the first row has it, otherwise the hash. null: the hash. */
  readonly id_field: string | null | undefined;
}

interface InlineRows {
  /** JSON, one row per line. */
  readonly text: string;
  /** The line of each row in the manifest. */
  readonly lines: readonly number[];
}

export type RemoteDataset = HubDataset | RemoteFiles;

/** A data set of Hugging Face, read through its dataset server. */
export interface HubDataset extends RemoteReading {
  readonly source: "hub";
  /** `facebook/belebele`. */
  readonly path: string;
  /** The config; undefined: the first one that has the split. */
  readonly name: string | undefined;
  /** A branch, a tag or a commit; undefined: the server's default. */
  readonly revision: string | undefined;
}

/** Files at http(s) addresses: Hugging Face's json and csv builders. */
export interface RemoteFiles extends RemoteReading {
  readonly source: "files";
  readonly builder: "json" | "csv";
  readonly urls: readonly string[];
}

interface RemoteReading {
  readonly split: string;
  /** undefined: all. */
  readonly max_rows: number | undefined;
  readonly id_field: string | null | undefined;
  /** Stored unchanged; only `data_files` is read. */
  readonly dataset_kwargs: JsonObject;
}

/** Limit of rows of any remote data set, and the upper bound of `max_rows`. */
export const mostRemoteRows = 1_000_000;

/** A data set that is read twice: first to check it and to learn its shape, then to run it in batches. */
export interface Dataset {
  /** SHA-256 of the file's bytes. */
  readonly hash: string;
  readonly size: number;
  /** Every top-level field that some row has, in order of appearance. */
  readonly fields: ReadonlySet<string>;
  /**
   * Present if only the first rows were read, as a check. `checked`: number of these rows; `size`: number of rows that a
   * run reads, if known. Without it the data set's own `size` counts the rows read.
   */
  readonly first?: { readonly checked: number; readonly size: number | undefined };
  readonly cases: () => AsyncIterable<readonly Case[]>;
}
