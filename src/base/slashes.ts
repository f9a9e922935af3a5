import { sep } from "node:path";

/** A path of this system with forward slashes, as manifests, git and people write it. */
export function withSlashes(path: string): string {
  return path.split(sep).join("/");
}
