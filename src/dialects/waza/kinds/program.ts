import { dirname, isAbsolute, resolve } from "node:path";
import { at, numberOf, type Part, placeOf } from "../../../base/part.ts";
import type { JsonObject } from "../../../model/json.ts";
import { problem } from "../../../model/refusal.ts";
import { pathInDocument } from "../../dialect.ts";
import { fullText, isGiven, refuseValue, textList, type WazaEval } from "../eval.ts";
import { readProgramTimeout } from "../project.ts";
import { checking, configKeys, type ReadKind } from "./kind.ts";

/** Time limit in seconds of a script, and of a program without its own limit. */
const usualSeconds = 30;
/** A folder with more files is not a folder of graders; then only the program's own file is copied. */
const mostBeside = 200;

/** A program, with the files that it consists of: those that its words name, and those in the same folder. */
export const programCheck: ReadKind = async (entry, file) => {
  const config = configKeys(entry, ["command", "args", "timeout"], file);
  const command = fullText(at(config, "command"), file);
  const args = textList(at(config, "args"), file);
  if (command === undefined) return undefined;
  const found = await filesOfWords([command, ...args], file);
  const options = {
    type: "program",
    command,
    args: [...args],
    ...found,
    timeout_seconds: await secondsOf(at(config, "timeout"), file),
  };
  return checking(entry, { options, keys: ["command"] }, file);
};

/** A Python file that receives all data as JSON and prints its score. */
export const scriptCheck: ReadKind = async (entry, file) => {
  const config = configKeys(entry, ["script"], file);
  const inConfig = at(config, "script");
  const named = isGiven(inConfig) ? inConfig : at(entry.part, "script");
  const script = fullText(named, file);
  if (script === undefined) return undefined;
  const found = await filesOfWords([script], file);
  if (found.files.length === 0) {
    const reason = "it is neither in this file's folder nor in the repository's";
    return file.refuse(problem("waza_file_unusable", { path: script, reason }, placeOf(named)));
  }
  return {
    type: "program",
    command: "python3",
    args: [script],
    ...found,
    timeout_seconds: usualSeconds,
    input: "json",
    result: "json",
    words: "script",
  };
};

/** The time limit in seconds. As in waza, 0 and less count as missing. */
async function secondsOf(part: Part, file: WazaEval): Promise<number> {
  const written = numberOf(part);
  if (isGiven(part) && written === undefined) refuseValue(part, "a number of seconds", file);
  const seconds = written !== undefined && written > 0 ? written : await readProgramTimeout(file);
  if (seconds === undefined) return usualSeconds;
  if (seconds > 600) refuseValue(part, "600 seconds at most", file);
  return Math.max(1, seconds);
}

/**
 * The files that a program's words name. waza resolves paths from where it is run; here that is the eval file's folder
 * or the repository's, whichever has more of the files.
 */
async function filesOfWords(
  words: readonly string[],
  file: WazaEval,
): Promise<{ readonly directory: string; readonly files: JsonObject[] }> {
  const { tools } = file;
  const own = await filesFrom(tools.directory, words, file);
  const ofRoot = await filesFrom(tools.root, words, file);
  const [folder, found] =
    ofRoot.length > own.length ? [tools.root, ofRoot] : [tools.directory, own];
  const beside = await Promise.all(found.map((path) => filesBeside(path, file)));
  const paths = [...new Set([...found, ...beside.flat()])].toSorted();
  const files: JsonObject[] = [];
  for (const path of paths) {
    const sha256 = await tools.hashFile(path);
    if (sha256 !== undefined) files.push({ path: pathInDocument(path, tools), sha256 });
  }
  return { directory: pathInDocument(folder, tools), files };
}

async function filesFrom(
  folder: string,
  words: readonly string[],
  { tools }: WazaEval,
): Promise<readonly string[]> {
  const [command = "", ...args] = words;
  // A bare name is a program of the system, unless it is the only word.
  const named = words.length === 1 || command.includes("/") ? words : args;
  const found: string[] = [];
  for (const word of named) {
    if (word === "" || isAbsolute(word)) continue;
    const path = resolve(folder, word);
    if ((await tools.hashFile(path)) !== undefined) found.push(path);
  }
  return found;
}

/** Files that a script may import or read: those of its folder, if the folder belongs to it alone. */
async function filesBeside(path: string, { tools }: WazaEval): Promise<readonly string[]> {
  const folder = dirname(path);
  if (`${tools.directory}/`.startsWith(`${folder}/`)) return [];
  const found = await tools.filesOf("**/*", folder);
  const kept = found.filter((each) => !each.includes("/__pycache__/"));
  return kept.length > mostBeside ? [] : kept;
}
