import { gunzipSync } from "node:zlib";

/** A piece of a report's data, by its element's id. */
export function unpack(html: string, id: string): unknown {
  const [, packed = ""] = new RegExp(`id="${id}">([^<]*)<`).exec(html) ?? [];
  return JSON.parse(gunzipSync(Buffer.from(packed, "base64")).toString());
}
