import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "../../../src/model/outcomes/run.ts";
import type { ActionEnd } from "./run-action.ts";

/** The action's run, from its run.json; if there is none, the error has its output. */
export function runOf(end: ActionEnd): Run {
  const path = join(end.outputs["run-path"] ?? "", "run.json");
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Run;
  } catch {
    throw new Error(`no run:\n${end.stdout}\n${end.stderr}`);
  }
}
