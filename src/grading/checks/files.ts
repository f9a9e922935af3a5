import { type Json, type JsonObject } from "../../model/json.ts";
import { compilePattern } from "../re2.ts";
import { type CheckResult, type CheckOpened, shareOf } from "./checked.ts";
import { objectsIn, textOption, textsIn } from "./options.ts";
import { isThere, workspacePath } from "./paths.ts";
import { type SeenFile, workspaceOf } from "./session.ts";

/** Checks of one entry of the options: their number, and a function for the failures. */
interface Part {
  readonly count: number;
  readonly failuresIn: (files: ReadonlyMap<string, SeenFile>) => readonly string[];
}

type Made = Part | { readonly fault: string };

/** Checks the files that an agent leaves, and their content; the score is the share of checks that hold. */
export function openFiles(options: JsonObject): CheckOpened {
  const made = [
    ...textsIn(options["must_exist"]).map((path) => existence(path, true)),
    ...textsIn(options["must_not_exist"]).map((path) => existence(path, false)),
    ...objectsIn(options["content_patterns"]).map(content),
  ];
  const faults = made.flatMap((each) => ("fault" in each ? [each.fault] : []));
  if (faults.length > 0) return { fault: faults.join("; ") };
  const parts = made.flatMap((each) => ("fault" in each ? [] : [each]));
  if (parts.length === 0)
    return {
      fault: "it checks nothing: give it must_exist, must_not_exist or content_patterns",
    };
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  return {
    check: (sample) => {
      const files = workspaceOf(sample);
      if (files === undefined) return noWorkspace("file");
      const failures = parts.flatMap((part) => part.failuresIn(files));
      return shareOf(count, failures, { allHold: "All file checks passed" });
    },
  };
}

/** The failed result for a candidate that leaves no workspace. */
export function noWorkspace(of: "file" | "diff"): CheckResult {
  const feedback = `No workspace directory available for ${of} grading`;
  return { score: 0, passed: false, feedback };
}

function existence(written: string, isWanted: boolean): Made {
  const path = workspacePath(written);
  if (typeof path !== "string") return path;
  const failure = isWanted
    ? `File must exist but not found: ${written}`
    : `File must not exist but found: ${written}`;
  return {
    count: 1,
    failuresIn: (files) => (isThere(files, path) === isWanted ? [] : [failure]),
  };
}

/** Checks a file's content. Its existence is a separate check. */
function content(entry: JsonObject): Made {
  const written = textOption(entry["path"]) ?? "";
  const path = workspacePath(written);
  if (typeof path !== "string") return path;
  const patterns = patternsIn(entry);
  const faults = patterns.flatMap((each) => ("fault" in each ? [each.fault] : []));
  if (faults.length > 0) return { fault: faults.join("; ") };
  const checks = patterns.flatMap((each) => ("fault" in each ? [] : [each]));
  return {
    count: 1 + checks.length,
    failuresIn: (files) => {
      const file = files.get(path);
      if (file !== undefined) return checks.flatMap(({ failure }) => failure(file));
      const notFound = isThere(files, path)
        ? `Failed to read file ${written}: it is a directory`
        : `File not found for content check: ${written}`;
      return [notFound, ...checks.map(({ missing }) => missing)];
    },
  };
}

interface ContentCheck {
  readonly failure: (file: SeenFile) => readonly string[];
  /** The message if the file does not exist. */
  readonly missing: string;
}

function patternsIn(entry: JsonObject): readonly (ContentCheck | { readonly fault: string })[] {
  const file = textOption(entry["path"]) ?? "";
  const all = (value: Json | undefined, isWanted: boolean): ReturnType<typeof patternsIn> =>
    textsIn(value).map((pattern) => patternCheck({ file, pattern, isWanted }));
  return [...all(entry["must_match"], true), ...all(entry["must_not_match"], false)];
}

function patternCheck({
  file,
  pattern,
  isWanted,
}: {
  readonly file: string;
  readonly pattern: string;
  readonly isWanted: boolean;
}): ContentCheck | { readonly fault: string } {
  const compiled = compilePattern(pattern);
  if ("fault" in compiled)
    return { fault: `${JSON.stringify(pattern)} is no pattern of RE2: ${compiled.fault}` };
  const [failed, missing] = isWanted
    ? ["missing expected pattern", "missing expected pattern (file not found)"]
    : ["contains forbidden pattern", "could not verify absence of pattern (file not found)"];
  return {
    missing: `File ${file} ${missing}: ${pattern}`,
    failure: ({ text }) => {
      // Unknown content proves neither that the pattern is there nor that it is absent.
      if (text === undefined)
        return [`File ${file} is no text, or too large to be kept: ${pattern}`];
      return compiled.matches(text) === isWanted ? [] : [`File ${file} ${failed}: ${pattern}`];
    },
  };
}
