import { contentsOf, type Content } from "../../../base/encodings/bytes.ts";
import { layersOf } from "../../../base/encodings/layers.ts";

/** The texts of a change's files. Each file is unpacked and decoded once, however many searches ask for it. */
export interface FileTexts {
  readonly contentsOf: (bytes: Uint8Array) => readonly Content[];
  /** The texts that are encoded within a content: as `layersOf`. */
  readonly layersOf: (content: Content) => readonly string[];
  /** The texts of a file, also those that are encoded within them, unless they are long. */
  readonly textsOf: (bytes: Uint8Array) => readonly string[];
  /** The texts of several files as one, without what is encoded within them. */
  readonly joined: (files: readonly { readonly bytes: Uint8Array }[]) => string;
  /** Number of files that were left out, or read in part: they can't be unpacked, or all files together are too large. */
  readonly skipped: () => number;
}

/** Limit of characters of all files: packed ones can hold a thousand times their size. */
const mostCharacters = 16 << 20;
/** Encodings within longer texts are not looked for here. */
const longestLayered = 1 << 16;

/** Reads files as texts. */
export function readFileTexts(): FileTexts {
  let [left, skipped] = [mostCharacters, 0];
  const contents = rememberEach((bytes: Uint8Array): readonly Content[] => {
    const { all, isWhole } = contentsOf(bytes);
    const characters = all.reduce((sum, { text }) => sum + text.length, 0);
    if (characters > left) {
      skipped += 1;
      return [];
    }
    left -= characters;
    if (!isWhole) skipped += 1;
    return all;
  });
  const layers = rememberEach(({ text }: Content) => layersOf(text));
  return {
    contentsOf: contents,
    layersOf: layers,
    textsOf: (bytes) =>
      contents(bytes).flatMap((content) =>
        content.text.length > longestLayered
          ? [content.text]
          : [content.text].concat(layers(content)),
      ),
    joined: (files) =>
      files
        .flatMap(({ bytes }) => contents(bytes))
        .map(({ text }) => text)
        .join("\n"),
    skipped: () => skipped,
  };
}

/** Remembers what was made of each file or content. */
export function rememberEach<K extends object, T>(make: (of: K) => T): (of: K) => T {
  const known = new Map<K, T>();
  return (of) => {
    const found = known.get(of) ?? make(of);
    known.set(of, found);
    return found;
  };
}
