import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { GitHub } from "../api/github.ts";
import { unzipBounded, type UnzipBounds } from "./unzip.ts";

interface DownloadRequest {
  readonly id: number;
  /** Size of the zip, as GitHub reports it. */
  readonly bytes: number;
  /** `sha256:…`; undefined if GitHub has none, because an old library uploaded the artifact. */
  readonly digest: string | undefined;
  /** A new folder, which does not exist yet. */
  readonly folder: string;
  readonly mostZipBytes: number;
  readonly bounds: UnzipBounds;
}

type Downloaded =
  | { readonly kind: "unzipped"; readonly files: readonly string[] }
  /** The reason, as a clause. */
  | { readonly kind: "refused"; readonly reason: string };

/** Time limit of an artifact's download, in seconds. */
const timeoutSeconds = 300;

/**
 * Downloads an artifact of any run and unzips it within limits; its digest is compared with GitHub's. Throws errors
 * that `GitHub.attempt` catches. GitHub redirects to a storage address, which does not receive the token.
 */
export async function downloadArtifact(
  asked: DownloadRequest,
  { request, repository }: GitHub,
): Promise<Downloaded> {
  const { bytes, mostZipBytes, folder } = asked;
  if (bytes > mostZipBytes) return tooLarge(mostZipBytes);
  const { data } = await request(
    "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}",
    {
      ...repository,
      artifact_id: asked.id,
      archive_format: "zip",
      request: { parseSuccessResponseBody: false, timeoutSeconds },
    },
  );
  const zip = `${folder}.zip`;
  try {
    const saved = await save(data, zip, mostZipBytes);
    if (saved === undefined) return tooLarge(mostZipBytes);
    if (asked.digest !== undefined && saved !== asked.digest)
      return {
        kind: "refused",
        reason: "its bytes are not those that were uploaded (the digest differs)",
      };
    return await unzipBounded(zip, folder, asked.bounds);
  } finally {
    await rm(zip, { force: true });
  }
}

function tooLarge(mostZipBytes: number): Downloaded {
  const limit = Math.round(mostZipBytes / 1_000_000);
  return { kind: "refused", reason: `it is larger than ${limit} MB` };
}

/** Writes the body to a file and returns its digest; undefined if it is too large. */
async function save(body: unknown, path: string, most: number): Promise<string | undefined> {
  if (!(body instanceof ReadableStream)) throw new TypeError("the answer has no body");
  const hash = createHash("sha256");
  let total = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      hash.update(chunk);
      done(total > most ? new TooLarge() : null, chunk);
    },
  });
  try {
    await pipeline(Readable.from(chunksOf(body)), meter, createWriteStream(path));
  } catch (cause) {
    if (cause instanceof TooLarge) return undefined;
    // The connection broke: treated like any call without an answer.
    const message = cause instanceof Error ? cause.message : String(cause);
    throw Object.assign(new Error(`the download broke off: ${message}`, { cause }), {
      status: 500,
    });
  }
  return `sha256:${hash.digest("hex")}`;
}

class TooLarge extends Error {}

async function* chunksOf(body: ReadableStream<unknown>): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    if (chunk instanceof Uint8Array) yield Buffer.from(chunk);
  }
}
