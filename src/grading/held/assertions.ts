import { parseJsonText } from "../../base/json-text.ts";
import type { HeldBase, HeldProgramSpec } from "../../model/ports/held-programs.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { GraderSample } from "../../model/outcomes/sample.ts";
import type { CheckResult } from "../checks/checked.ts";
import { textsIn } from "../checks/options.ts";
import { assertionNames } from "./names.ts";

/** Seconds for one assertion, and for everything else, such as the start of Node. */
const assertionSeconds = 5;
const startSeconds = 20;

/**
 * Runs in Node and evaluates the assertions one after the other in one context. Only the sandbox around the process
 * protects.
 */
const source = `
const vm = require("node:vm");
const { isPromise } = require("node:util").types;
process.on("unhandledRejection", () => {});
const { names, assertions } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const context = vm.createContext({
  ...names,
  Array, Object, String, Number, Boolean, Math, JSON, RegExp, parseInt, parseFloat, isNaN, isFinite,
  undefined, NaN, Infinity, True: true, False: false,
});
const words = (error) => { try { return String(error); } catch { return "an error without words"; } };
const failures = assertions.map((text) => {
  try {
    const value = vm.runInContext(text, context, { timeout: ${assertionSeconds * 1000} });
    if (isPromise(value)) return "Failed: " + text + ": it gives a promise, as import() and async do, which is never awaited";
    return value ? null : "Failed: " + text;
  } catch (error) {
    return "Failed: " + text + ": " + words(error);
  }
});
process.stdout.write(JSON.stringify({ failures }), () => process.exit(0));
`;

/** The program that evaluates assertions in JavaScript. */
export function programOfAssertions({ assertions }: JsonObject, base: HeldBase): HeldProgramSpec {
  return {
    command: "node",
    byOwnNode: true,
    args: ["-e", source],
    timeoutSeconds: Math.min(600, startSeconds + assertionSeconds * textsIn(assertions).length),
    env: [],
    files: [],
    wordsNameFiles: false,
    directory: base.directory,
    base,
  };
}

/** The program's standard input: the names that assertions see, and the assertions. */
export function inputOfAssertions({ assertions }: JsonObject, sample: GraderSample): string {
  return JSON.stringify({ names: assertionNames(sample), assertions: textsIn(assertions) });
}

/** The share of assertions that hold; undefined if the program printed something else. */
export function resultOfAssertions(
  { assertions }: JsonObject,
  stdout: string,
): CheckResult | undefined {
  const parsed = parseJsonText(stdout);
  const said = parsed.kind === "json" && isJsonObject(parsed.value) ? parsed.value : {};
  const { failures: told } = said;
  const count = textsIn(assertions).length;
  if (!Array.isArray(told) || told.length !== count) return undefined;
  const failures = textsIn(told);
  const held = count - failures.length;
  return {
    score: held / count,
    passed: failures.length === 0,
    feedback: failures.length === 0 ? "All assertions passed" : failures.join("; "),
    details: { total_assertions: count, passed_assertions: held, failures: [...failures] },
  };
}
