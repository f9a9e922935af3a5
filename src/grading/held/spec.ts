import { resolve } from "node:path";
import type { HeldBase, HeldProgramSpec, NamedFile } from "../../model/ports/held-programs.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { textOption, textsIn } from "../checks/options.ts";
import { programOfAssertions } from "./assertions.ts";

/** Default time limit of a program, in seconds. */
const usualSeconds = 30;

/** Whether a check is run by a program behind the fence. */
export function isHeldCheck({ type, language }: JsonObject): boolean {
  return type === "program" || (type === "code" && language === "javascript");
}

/**
 * The program that a check runs. `wordsNameFiles`: words of its command may name files; not where a row carries it, whose
 * files are named with their hashes.
 */
export function heldSpecOf(
  check: JsonObject,
  { base, wordsNameFiles }: { readonly base: HeldBase; readonly wordsNameFiles: boolean },
): HeldProgramSpec {
  if (check["type"] === "code") return programOfAssertions(check, base);
  const { command, args, timeout_seconds: seconds, env, files, directory } = check;
  return {
    command: textOption(command) ?? "",
    args: textsIn(args),
    timeoutSeconds: typeof seconds === "number" ? seconds : usualSeconds,
    env: textsIn(env),
    files: filesIn(files),
    wordsNameFiles,
    directory: resolve(base.directory, textOption(directory) ?? "."),
    base,
  };
}

function filesIn(value: Json | undefined): readonly NamedFile[] {
  return (Array.isArray(value) ? value : []).flatMap((each): readonly NamedFile[] => {
    if (typeof each === "string") return [{ path: each, sha256: undefined }];
    if (!isJsonObject(each)) return [];
    const { path, sha256 } = each;
    return typeof path === "string" ? [{ path, sha256: textOption(sha256) }] : [];
  });
}
