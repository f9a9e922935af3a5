import { createHash } from "node:crypto";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { ImagePart, Message } from "../../model/models/message.ts";
import type { ImageFolder } from "../../model/definition/asked.ts";
import { imageComplaint, imageHeadBytes, imageTypeOf, mostImageBytes } from "../../prompt/image.ts";
import type { FileTools } from "../../tools.ts";

type Files = Pick<FileTools, "readBytes" | "inspectPath">;

/** Image files, found by the name that rows give them. */
export interface ImageFiles {
  /** Description of the file, or the reason why it can't be sent. Each file is read once. */
  readonly describe: (file: string) => Promise<DescribedImage>;
  /** The part with everything that is known of its file. */
  readonly known: (part: ImagePart) => ImagePart;
  /** Hash over the names and contents of all files so far; undefined if there are none. */
  readonly hash: () => string | undefined;
}

type DescribedImage = ImageFacts | { readonly complaint: string };

interface ImageFacts {
  readonly complaint?: never;
  readonly media_type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly absolute: string;
}

/** The images in a folder; files outside its root are refused. */
export function openImageFiles({ directory, root }: ImageFolder, files: Files): ImageFiles {
  const found = new Map<string, DescribedImage>();
  return {
    describe: async (file) => {
      const before = found.get(file);
      if (before !== undefined) return before;
      const described = await describeFile(file, { directory, root }, files);
      found.set(file, described);
      return described;
    },
    known: (part) => {
      const facts = part.file === undefined ? undefined : found.get(part.file);
      return facts === undefined || facts.complaint !== undefined ? part : { ...part, ...facts };
    },
    hash: () => {
      const sums = [...found].flatMap(([file, facts]) =>
        facts.complaint === undefined ? [`${JSON.stringify(file)} ${facts.sha256}\n`] : [],
      );
      if (sums.length === 0) return undefined;
      return `sha256:${createHash("sha256").update(sums.toSorted().join("")).digest("hex")}`;
    },
  };
}

async function describeFile(
  file: string,
  { directory, root }: ImageFolder,
  files: Files,
): Promise<DescribedImage> {
  const said = `the image ${JSON.stringify(file)}`;
  const absolute = resolve(directory, file);
  if (isAbsolute(file) || isOutside(absolute, root))
    return { complaint: `${said} is not inside the repository` };
  const { kind, real } = await files.inspectPath(absolute);
  if (kind !== "file") return { complaint: `${said} is not there (looked for beside the data)` };
  if (isOutside(real, (await files.inspectPath(root)).real))
    return { complaint: `${said} leads out of the repository through a symbolic link` };
  const read = await readImage(absolute, files);
  if ("complaint" in read) return { complaint: `${said} ${read.complaint}` };
  return { ...read, absolute };
}

function isOutside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
}

async function readImage(
  absolute: string,
  { readBytes }: Files,
): Promise<Omit<ImageFacts, "absolute" | "complaint"> | { readonly complaint: string }> {
  const sum = createHash("sha256");
  let head: Uint8Array = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of readBytes(absolute)) {
    if (head.length < imageHeadBytes)
      head = Buffer.concat([head, chunk]).subarray(0, imageHeadBytes);
    bytes += chunk.length;
    sum.update(chunk);
    if (bytes > mostImageBytes) break;
  }
  const complaint = imageComplaint(head, bytes);
  if (complaint !== undefined) return { complaint };
  return { media_type: imageTypeOf(head) ?? "", bytes, sha256: sum.digest("hex") };
}

/** Loads the bytes of the images into messages, for sending; undefined if a file has changed since it was described. */
export async function loadImages(
  messages: readonly Message[],
  files: Files,
): Promise<readonly Message[] | undefined> {
  const loaded: Message[] = [];
  for (const message of messages) {
    if (typeof message.content === "string") {
      loaded.push(message);
      continue;
    }
    const content = [];
    for (const part of message.content) {
      const whole = part.type === "text" ? part : await loadImage(part, files);
      if (whole === undefined) return undefined;
      content.push(whole);
    }
    loaded.push({ ...message, content });
  }
  return loaded;
}

async function loadImage(part: ImagePart, { readBytes }: Files): Promise<ImagePart | undefined> {
  const { absolute, sha256, media_type = "" } = part;
  if (absolute === undefined) return part;
  const chunks: Uint8Array[] = [];
  for await (const chunk of readBytes(absolute)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) return undefined;
  return { ...part, data: `data:${media_type};base64,${bytes.toString("base64")}` };
}
