import { spawnSync } from "node:child_process";
import { delimiter, dirname } from "node:path";

/** PATH with the interpreter itself before what a version manager puts in its place: a script that takes longer than Python's start. */
export function pathWithPython(): string {
  const path = process.env["PATH"] ?? "";
  const asked = ["-c", "import sys; print(sys.executable)"];
  const { stdout } = spawnSync("python3", asked, { encoding: "utf8" });
  const found = (stdout ?? "").trim();
  return found === "" ? path : `${dirname(found)}${delimiter}${path}`;
}
