import { gzipSync } from "node:zlib";
import { pageIds } from "../../model/page.ts";

/** Placeholder in the template for the data. */
const dataMark = "<!-- regrade data -->";

/** A piece of data: chunks come first and the index last, because it depends on their content. */
export type PagePiece =
  | { readonly kind: "chunk"; readonly run: number; readonly at: number; readonly json: string }
  | { readonly kind: "index"; readonly json: string };

/**
 * A page in pieces: memory holds one of them. Data is compressed and written in letters and digits: no text of a case
 * appears in the markup.
 */
export async function* renderPage(
  template: string,
  pieces: AsyncIterable<PagePiece>,
): AsyncGenerator<string> {
  const [start = "", end = ""] = template.split(dataMark);
  yield start;
  for await (const piece of pieces) {
    const id = piece.kind === "index" ? pageIds.index : pageIds.chunk(piece.run, piece.at);
    yield `<script type="text/plain" id="${id}">${packed(piece.json)}</script>\n`;
  }
  yield end;
}

/** The time of compression is left out, so that the same data gives the same bytes. */
function packed(json: string): string {
  return gzipSync(json, { level: 9 }).toString("base64");
}
