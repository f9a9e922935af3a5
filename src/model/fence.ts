/** What the manifest asks for a candidate that is a program; undefined: no fence. */
export type FenceWish = "auto" | "required";

/** The fence around a candidate, as it was tried before the first sample. */
export interface FenceReport {
  readonly asked: FenceWish;
  /** `none`: it can't be put up here, and the candidate runs without. */
  readonly level: "landlock+seccomp" | "none";
  /** The kernel's version of Landlock; absent where it was not asked. */
  readonly landlock_abi?: number;
  /** A sentence for each protection that this machine lacks. */
  readonly missing: readonly string[];
}

/** A file or folder that no fenced candidate may be granted, with its name for people. */
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
