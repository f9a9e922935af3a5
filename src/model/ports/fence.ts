import { isJsonObject } from "../json.ts";

/** The manifest's setting for a candidate that is a program; undefined: no fence. */
export type FenceWish = "auto" | "required";

/** The sandbox around a candidate (`fence`), as it was found before the first sample. */
export interface FenceReport {
  readonly asked: FenceWish;
  /** `none`: this machine can't provide it, and the candidate runs without. */
  readonly level: "landlock+seccomp" | "none";
  /** The kernel's version of Landlock; absent if it was not checked. */
  readonly landlock_abi?: number;
  /** A sentence for each protection that this machine lacks. */
  readonly missing: readonly string[];
}

/** A file or folder that no candidate in the sandbox may be granted, with a name for messages. */
export interface Withheld {
  readonly path: string;
  readonly what: string;
}

/** The stricter of two wishes. */
export function stricterFence(
  one: FenceWish | undefined,
  other: FenceWish | undefined,
): FenceWish | undefined {
  return one === "required" || other === "required" ? "required" : (one ?? other);
}

/** Result of trying the sandbox. */
export type TriedFence =
  | { readonly kind: "held"; readonly report: Omit<FenceReport, "asked"> }
  /** A grant that would show the program what it is judged by. */
  | { readonly kind: "refused"; readonly path: string; readonly holds: string }
  | { readonly kind: "absent"; readonly why: string };

/** The report of the launcher, python/regrade/fence.py, about a fence that it tried. */
export function readTriedFence(text: string): TriedFence {
  const said: unknown = JSON.parse(text);
  if (!isJsonObject(said)) throw new TypeError("the fence's launcher tells an object");
  const { kind, landlock_abi: abi, missing, path, holds, why } = said;
  if (kind === "held" && typeof abi === "number" && Array.isArray(missing)) {
    const report = { landlock_abi: abi, missing: missing.map(String) };
    return { kind, report: { ...report, level: "landlock+seccomp" } };
  }
  if (kind !== "refused" || typeof holds !== "string")
    return { kind: "absent", why: typeof why === "string" ? why : text };
  if (typeof path === "string") return { kind, path, holds };
  const system = `the system's own folders, which every program reads, hold ${holds}`;
  return { kind: "absent", why: system };
}
