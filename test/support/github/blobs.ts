import { createHash } from "node:crypto";
import type { Asked, Reply } from "./server.ts";

/** Block blob storage, as far as the artifact library speaks it. */
export interface Blobs {
  readonly answer: (asked: Asked) => Reply;
  /** A path with a signature that allows writing or reading this blob. */
  readonly sign: (blob: string, right: "w" | "r") => string;
  /** The address of an artifact's zip, as REST redirects to it: relative to the stand-in's. */
  readonly lend: (id: number, zip: Buffer) => string;
  readonly read: (blob: string) => Buffer | undefined;
  /** Stores a blob without a request. */
  readonly store: (blob: string, body: Buffer) => void;
}

/** https://learn.microsoft.com/rest/api/storageservices/put-block-list: blocks in the list's order, not in that of arrival. */
export function createBlobs(): Blobs {
  const blocks = new Map<string, Buffer>();
  const blobs = new Map<string, Buffer>();
  const put = (blob: string, { url, body, headers }: Asked): Reply => {
    const comp = url.searchParams.get("comp");
    if (comp === "block") blocks.set(`${blob} ${url.searchParams.get("blockid")}`, body);
    else if (comp === "blocklist") {
      const ids = [...body.toString().matchAll(/<Latest>([^<]+)<\/Latest>/g)];
      const parts = ids.map(([, id]) => blocks.get(`${blob} ${id}`));
      const known = parts.filter((part) => part !== undefined);
      if (known.length !== parts.length) return { status: 400, body: "InvalidBlockList" };
      blobs.set(blob, Buffer.concat(known));
    } else if (headers["x-ms-blob-type"] === "BlockBlob") blobs.set(blob, body);
    else return { status: 400, body: "x-ms-blob-type is missing" };
    return { status: 201, headers: { etag: '"1"', "last-modified": new Date(0).toUTCString() } };
  };
  return {
    sign,
    lend: (id, zip) => {
      blobs.set(`zip-${id}`, zip);
      return sign(`zip-${id}`, "r");
    },
    read: (blob) => blobs.get(blob),
    store: (blob, body) => void blobs.set(blob, body),
    answer: (asked) => {
      const blob = asked.url.pathname.slice("/blobs/".length);
      const right = asked.method === "PUT" ? "w" : "r";
      if (asked.url.searchParams.get("sig") !== signature(blob, right)) return { status: 403 };
      if (asked.method === "PUT") return put(blob, asked);
      const body = blobs.get(blob);
      return body === undefined ? { status: 404 } : { status: 200, body };
    },
  };
}

function signature(blob: string, right: string): string {
  return createHash("sha256").update(`stand-in ${blob} ${right}`).digest("base64url");
}

function sign(blob: string, right: "w" | "r"): string {
  return `/blobs/${blob}?sig=${signature(blob, right)}&sp=${right}`;
}
