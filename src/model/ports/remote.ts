import type { JsonObject } from "../json.ts";
import type { Clock } from "./clock.ts";
import type { HttpFault } from "./http.ts";
import type { Place, Problem } from "../refusal.ts";
import type { DatasetSpec, RemoteDataset } from "../definition/dataset.ts";

/** Downloads a remote data set, or returns all problems. `place`: where the suite names it. */
export type DownloadDataset = (
  dataset: RemoteDataset,
  place: Place,
) => Promise<DownloadedDataset | { readonly problems: readonly Problem[] }>;

/** A downloaded data set: a file of rows. */
export interface DownloadedDataset {
  /** Its rows as a JSON lines file; a "line" is a row. */
  readonly dataset: DatasetSpec;
  /** Source and revision of the downloaded data, for the fingerprint. */
  readonly identity: JsonObject;
  /** Number of rows that a run reads; undefined if only reading all of it would tell. */
  readonly size: number | undefined;
  /** False if only its first rows were downloaded, to check them. */
  readonly whole: boolean;
  readonly warnings: readonly Problem[];
}

/** Makes one GET and follows its redirects. Hosts of this machine and of private networks are never asked. */
export type GetRemote = (request: RemoteRequest) => Promise<RemoteEnd>;

export interface RemoteRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as a bearer token to the host of `url`, but to no other host that it redirects to. */
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

export type RemoteEnd =
  | {
      readonly kind: "response";
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** Can be read once; leaving it early ends the exchange. Throws a Refusal (`remote_broken`) if it breaks off. */
      readonly body: AsyncIterable<Uint8Array>;
    }
  /** The address, or one that it redirects to, may not be requested. */
  | { readonly kind: "forbidden"; readonly url: string; readonly reason: string }
  | { readonly kind: "failed"; readonly type: HttpFault; readonly message: string }
  | { readonly kind: "cancelled" };

/** Downloaded rows, stored for the next run. Several processes may use the cache at once. */
export interface RowCache {
  /**
   * Finds complete rows under a key, checked against their hash. `writtenBefore`: rows that nobody wrote to since, in
   * milliseconds since 1970, or that this process found or kept itself.
   */
  readonly find: (key: string, writtenBefore?: number) => Promise<KeptRows | undefined>;
  /**
   * Starts a file of rows. Without a key it can't be found again. `resume`: continues an incomplete file of the same key.
   */
  readonly begin: (as: RowsToBegin) => Promise<RowWriter>;
}

export type RowsToBegin =
  | { readonly key: string; readonly resume: boolean }
  | { readonly key: undefined; readonly resume: false };

export interface KeptRows {
  /** The file, JSON lines. */
  readonly absolute: string;
  readonly rows: number;
  /** The value that was passed to `finish`. */
  readonly about: JsonObject;
}

export interface RowWriter {
  /** Number of rows that the file has already. */
  readonly rows: number;
  /** Appends whole lines, each with its end. */
  readonly append: (lines: Uint8Array, rows: number) => Promise<void>;
  /** Marks the file as complete. */
  readonly finish: (about: JsonObject) => Promise<KeptRows>;
  /** Ends writing early. The rows are kept only if they can be resumed later. */
  readonly leave: () => Promise<void>;
}

/** Tools that a data set download needs. */
export interface RemoteTools {
  readonly get: GetRemote;
  readonly rowCache: RowCache;
  /** Removes known secrets from a server's messages. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Addresses of the dataset server and of the hub, without a slash at the end. */
  readonly servers: { readonly rows: string; readonly hub: string };
  /** Hugging Face's token, for private and gated data sets. */
  readonly token: string | undefined;
  /** Called if a server asks for a pause. */
  readonly onPause: (pause: { readonly host: string; readonly seconds: number }) => void;
}
