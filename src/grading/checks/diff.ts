import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { type CheckOpened, shareOf } from "./checked.ts";
import { noWorkspace } from "./files.ts";
import { objectsIn, textOption, textsIn } from "./options.ts";
import { isThere, workspacePath } from "./paths.ts";
import { type SeenFile, workspaceOf } from "./session.ts";

interface Expected {
  /** The path as the user wrote it. */
  readonly shown: string;
  readonly path: string;
  readonly snapshot: Snapshot | undefined;
  readonly fragments: readonly Fragment[];
}

/** Expected content of a file: a whole file that the manifest reader has read, or its hash. */
interface Snapshot {
  readonly path: string;
  readonly sha256: string;
}

interface Fragment {
  readonly written: string;
  readonly text: string;
  readonly isWanted: boolean;
}

/** Compares an agent's files with the expected ones: whole files, or lines that must or must not exist. */
export function openDiff(options: JsonObject): CheckOpened {
  const read = objectsIn(options["expected_files"]).map(expectedIn);
  const faults = read.flatMap((each) => ("fault" in each ? [each.fault] : []));
  if (faults.length > 0) return { fault: faults.join("; ") };
  const all = read.flatMap((each) => ("fault" in each ? [] : [each]));
  if (all.length === 0) return { fault: "it checks nothing: give it expected_files" };
  const count = all.reduce((sum, each) => sum + 1 + partsOf(each), 0);
  return {
    check: (sample) => {
      const files = workspaceOf(sample);
      if (files === undefined) return noWorkspace("diff");
      const failures = all.flatMap((each) => {
        const file = files.get(each.path);
        return failuresOf(each, file ?? (isThere(files, each.path) ? "directory" : "missing"));
      });
      return shareOf(count, failures, { allHold: "All diff checks passed" });
    },
  };
}

function partsOf({ snapshot, fragments }: Expected): number {
  return (snapshot === undefined ? 0 : 1) + fragments.length;
}

function expectedIn(entry: JsonObject): Expected | { readonly fault: string } {
  const shown = textOption(entry["path"]) ?? "";
  const path = workspacePath(shown);
  if (typeof path !== "string") return path;
  const snapshot = snapshotIn(entry);
  if (snapshot === undefined && entry["snapshot"] !== undefined)
    return { fault: `a check that a row carries reads no files: give ${shown} its sha256` };
  const fragments = textsIn(entry["contains"]).map(fragmentOf);
  if (snapshot === undefined && fragments.length === 0)
    return { fault: `the entry of ${shown} checks nothing: give it a snapshot or contains` };
  return { shown, path, snapshot, fragments };
}

/** A file that the manifest reader has read, or a given hash. */
function snapshotIn({ snapshot, sha256: own }: JsonObject): Snapshot | undefined {
  if (typeof own === "string") return { path: textOption(snapshot) ?? own, sha256: own };
  if (!isJsonObject(snapshot)) return undefined;
  const { file, sha256 } = snapshot;
  return typeof sha256 === "string" ? { path: textOption(file) ?? "", sha256 } : undefined;
}

/** `+` in front, or no sign: must exist; `-`: must not exist. White space around it does not count. */
function fragmentOf(written: string): Fragment {
  const isSigned = written.startsWith("+") || written.startsWith("-");
  const text = (isSigned ? written.slice(1) : written).trim();
  return { written, text, isWanted: !written.startsWith("-") };
}

function failuresOf(
  { shown, snapshot, fragments }: Expected,
  file: SeenFile | "directory" | "missing",
): readonly string[] {
  if (typeof file === "string")
    return [
      file === "directory"
        ? `Failed to read workspace file ${shown}: it is a directory`
        : `Expected file not found in workspace: ${shown}`,
      ...(snapshot ? [`Snapshot comparison skipped (file not found): ${shown}`] : []),
      ...fragments.map(
        ({ written }) => `Contains check skipped (file not found): ${shown} → ${written}`,
      ),
    ];
  const isOther = snapshot !== undefined && snapshot.sha256 !== withoutPrefix(file.sha256);
  return [
    ...(isOther ? [`File ${shown} does not match snapshot ${snapshot.path}`] : []),
    ...fragments.flatMap((fragment) => fragmentFailure(shown, file, fragment)),
  ];
}

/** Workspaces have `sha256:` before their hashes. */
function withoutPrefix(hash: string | undefined): string | undefined {
  return hash?.replace(/^sha256:/, "");
}

function fragmentFailure(
  shown: string,
  { text }: SeenFile,
  { written, text: part, isWanted }: Fragment,
): readonly string[] {
  if (text === undefined) return [`File ${shown} is no text, or too large to be kept: ${written}`];
  // An empty fragment is contained everywhere, and can't be absent.
  if (part === "" || text.includes(part) === isWanted) return [];
  return isWanted
    ? [`File ${shown} missing expected fragment: ${part}`]
    : [`File ${shown} contains fragment that should be absent: ${part}`];
}
