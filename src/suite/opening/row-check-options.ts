import type { RowChecker } from "../../manifest/task-graders/row-checks.ts";
import { checkFault, isCheckHere } from "../../grading/checks/open.ts";
import { ownCheckOf } from "../../grading/checks/own-check.ts";
import { type HeldTools, openHeldCheck } from "../../grading/held/open.ts";
import { isHeldCheck } from "../../grading/held/spec.ts";
import { builtinProgram } from "../../grading/programs.ts";
import type { JsonObject } from "../../model/json.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { PythonSoon } from "./python-soon.ts";

/** Number of checks that are opened together: the limit of the option `also`. */
const atOnce = 100;

/** Limit of programs of rows that are opened before the run; others are opened when they are needed. */
const mostPrograms = 100;

/** Limit of reported problems. */
const mostProblems = 20;

type PlacedCheck = readonly [check: JsonObject, place: Place];

/**
 * Problems of checks that rows carry, such as invalid schemas: only the graders themselves can find them. The checks
 * are opened together as the checks of one grader, and again without each refused one.
 */
export async function checkOptionProblems(
  checker: RowChecker,
  { openProgram, openHeldProgram }: PythonSoon,
): Promise<readonly Problem[]> {
  const all = checker.options();
  const left = all.filter(([check]) => !isCheckHere(check) && !isHeldCheck(check));
  const problems: Problem[] = all.flatMap(([check, place]) => problemHere(check, place));
  const held = all.filter(([check]) => isHeldCheck(check));
  const { heldBase: base } = checker;
  for (const placed of base === undefined ? [] : held.slice(0, mostPrograms)) {
    const found = base && (await programProblem(placed, { openHeldProgram, base }));
    if (found !== undefined) problems.push(found);
  }
  while (left.length > 0 && problems.length < mostProblems) {
    const asked = left.slice(0, atOnce);
    const refused = await firstRefused(asked, openProgram);
    if (refused === undefined) left.splice(0, asked.length);
    else {
      const [found] = left.splice(refused.index, 1);
      if (found !== undefined) problems.push(problemOf(found, refused.reason));
    }
  }
  return problems;
}

/** Problem of a check that runs in this process. */
function problemHere(check: JsonObject, place: Place): readonly Problem[] {
  if (!isCheckHere(check)) return [];
  const { type, options } = ownCheckOf(check, "");
  const fault = checkFault(options, type);
  return fault === undefined ? [] : [problemOf([check, place], fault)];
}

/** Problem of a program that rows name: it does not exist, or its files have no hashes. */
async function programProblem(placed: PlacedCheck, tools: HeldTools): Promise<Problem | undefined> {
  const [check] = placed;
  const { type, options } = ownCheckOf(check, "");
  const { files } = options;
  if (Array.isArray(files) && files.some((each) => typeof each === "string"))
    return problemOf(placed, "in a row each of `files` is a file with its hash: {path, sha256}");
  const opened = await openHeldCheck({ ...options, type }, tools, { inRow: true });
  return "refused" in opened ? problemOf(placed, opened.refused.message) : undefined;
}

async function firstRefused(
  checks: readonly PlacedCheck[],
  openProgram: PythonSoon["openProgram"],
): Promise<{ readonly index: number; readonly reason: string } | undefined> {
  const options = { field: "checks", also: checks.map(([check]) => check) };
  const { program } = builtinProgram({ type: "row_checks", options, models: undefined });
  const opened = await openProgram(program);
  if ("program" in opened) {
    await opened.program.close();
    return undefined;
  }
  const [, index, reason] = /^also\[(\d+)\]: (.*)$/s.exec(opened.refused.message) ?? [];
  return { index: Number(index ?? 0), reason: reason ?? opened.refused.message };
}

function problemOf([{ type }, place]: PlacedCheck, reason: string): Problem {
  const name = typeof type === "string" ? type : "";
  return problem("row_check_options", { type: name, reason }, place);
}
