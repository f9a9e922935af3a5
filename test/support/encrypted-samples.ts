import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { encryptedLines, plainLines } from "../../src/store/encrypted-lines.ts";

/** The whole lines in the journal of samples of a run that was cut off, decrypted as `--resume` does it. `data`: its data set. */
export async function decryptedSamples(
  directory: string,
  data: string,
): Promise<readonly string[]> {
  const wholeLines = async (name: string): Promise<readonly string[]> => {
    const text = await readFile(join(directory, name), "utf8").catch(() => "");
    return text.split("\n").slice(0, -1);
  };
  const [plan] = await wholeLines("generated.jsonl");
  const { salt } = JSON.parse(plan ?? "{}") as { readonly salt?: string };
  const key = createHash("sha256").update(`${salt}${await readFile(data, "utf8")}`);
  const lines = salt === undefined ? plainLines : encryptedLines(key.digest());
  const stored = await wholeLines("samples.jsonl");
  return stored.map((line, i) => lines.read(line, directory, i + 1));
}
