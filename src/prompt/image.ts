import { cutText } from "../base/cut-text.ts";
import { createHash } from "node:crypto";
import type { ImagePart } from "../model/models/message.ts";

/** Formats that OpenAI, Anthropic and Google all accept: developers.openai.com/api/docs/guides/images-vision. */
const signatures: readonly { readonly type: string; readonly is: (head: Buffer) => boolean }[] = [
  { type: "image/png", is: (head) => head.toString("latin1", 0, 8) === "\x89PNG\r\n\x1a\n" },
  { type: "image/jpeg", is: (head) => head.toString("latin1", 0, 3) === "\xff\xd8\xff" },
  { type: "image/gif", is: (head) => /^GIF8[79]a/.test(head.toString("latin1", 0, 6)) },
  {
    type: "image/webp",
    is: (head) =>
      head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP",
  },
];

/** Number of bytes at a file's start that show its type. */
export const imageHeadBytes = 64;

/** Bytes of one image, and of all images of a case: Google takes 20 MB a request, others more. */
export const mostImageBytes = 20_000_000;
const sizeWords = `${mostImageBytes / 1_000_000} MB`;

const typeWords = "an image is a PNG, JPEG, GIF or WebP file";

/** The type by the bytes, independent of names and addresses; undefined: no image format that models accept. */
export function imageTypeOf(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  return signatures.find(({ is }) => is(bytes))?.type;
}

/** Why a file can't be sent as an image; undefined: it can. */
export function imageComplaint(head: Uint8Array, size: number): string | undefined {
  if (size > mostImageBytes) return `has ${size} bytes; an image has at most ${sizeWords}`;
  if (imageTypeOf(head) !== undefined) return undefined;
  const start = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1");
  return start.startsWith("version https://git-lfs")
    ? "is a pointer of Git LFS and not the image: check out with lfs: true"
    : `is no image; ${typeWords}`;
}

type ReadImage = ImagePart | { readonly complaint: string };

/** An address of an image: https, which the provider fetches, or a data URL. */
export function readImageUrl(url: string, detail: Pick<ImagePart, "detail">): ReadImage {
  if (url.startsWith("data:")) return readDataUrl(url, detail);
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") {
    const shown = url.length > 80 ? `${cutText(url, 80)}…` : url;
    return {
      complaint: `has the address ${JSON.stringify(shown)}; allowed are https:// and data:`,
    };
  }
  return { type: "image", url, ...detail };
}

function readDataUrl(url: string, detail: Pick<ImagePart, "detail">): ReadImage {
  const comma = url.indexOf(",");
  const [, said = ""] = /^data:([^;,]*);base64$/i.exec(url.slice(0, Math.max(comma, 0))) ?? [];
  if (said === "") return { complaint: "is a data URL that does not begin data:image/…;base64," };
  const encoded = url.slice(comma + 1);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded))
    return { complaint: "is a data URL that is no base64" };
  const bytes = Buffer.from(encoded, "base64");
  const complaint = imageComplaint(bytes.subarray(0, imageHeadBytes), bytes.length);
  if (complaint !== undefined) return { complaint };
  const media_type = imageTypeOf(bytes) ?? "";
  if (said.toLowerCase() !== media_type)
    return { complaint: `says that it is ${said}, and its bytes are ${media_type}` };
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { type: "image", media_type, bytes: bytes.length, sha256, ...detail, data: url };
}

/** Why the images of a case exceed the limit together; undefined if they don't. */
export function totalComplaint(parts: readonly ImagePart[]): string | undefined {
  const sum = parts.reduce((all, { bytes = 0 }) => all + bytes, 0);
  return sum > mostImageBytes
    ? `the images have ${sum} bytes together; those of a case have at most ${sizeWords}`
    : undefined;
}
