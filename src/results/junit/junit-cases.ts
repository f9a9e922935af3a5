import { cutText } from "../../base/cut-text.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Complaints } from "../complaints.ts";
import type { XmlEvent } from "./xml-events.ts";

/** One `<testcase>`. */
export interface JunitCase {
  /** File, class and name: the tool's identity of a test. */
  readonly id: string;
  readonly line: number;
  /** Names from which the test's file can be found: its path, its class, and the suites that contain it. */
  readonly sources: readonly string[];
  readonly end: JunitEnd;
  readonly fields: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, string>>;
  readonly seconds: number | null;
}

type JunitEnd =
  | { readonly kind: "passed" }
  | { readonly kind: "skipped" }
  | { readonly kind: "failure" | "error"; readonly type: string; readonly message: string };

interface CaseReader {
  /** Returns the test that ends with this event, if one does. */
  readonly push: (event: XmlEvent) => readonly JunitCase[];
}

type Open = Extract<XmlEvent, { kind: "open" }>;

interface Testcase {
  readonly open: Open;
  readonly suites: readonly string[];
  readonly properties: Map<string, string>;
  end: JunitEnd | undefined;
}

/** Reads tests one after another; invalid ones are reported. */
export function createCaseReader(file: string, complaints: Complaints): CaseReader {
  const path: Open[] = [];
  let test: Testcase | undefined;
  let text = "";
  const begin = (event: Open): void => {
    if (path.length === 0) requireRoot(event, file);
    if (event.name === "testcase") {
      if (test !== undefined)
        complain(event, { field: "testcase", found: "within another", expected: "one of its own" });
      test = { open: event, suites: suitesOf(path), properties: new Map(), end: undefined };
    }
    const right = misspelt(event.name, path.at(-1) === test?.open);
    if (right !== undefined)
      complain(event, { field: event.name, found: "no element of JUnit", expected: `<${right}>` });
    text = "";
    path.push(event);
  };
  const complain = (
    { line }: Open,
    said: { readonly field: string; readonly found: string; readonly expected: string },
  ): void => complaints.add([problem("results_field", { at: `line ${line}`, ...said }, { file })]);
  const finish = (): readonly JunitCase[] => {
    const closed = path.pop();
    const body = text;
    text = "";
    if (closed === undefined || test === undefined) return [];
    if (closed.name !== "testcase") {
      // Only direct children of the test, or of its <properties>, count: deeper ones belong to something else.
      if (path.at(-1) === test.open) noteEnd(test, closed, body);
      if (closed.name === "property" && path.at(-2) === test.open) noteProperty(test, closed, body);
      return [];
    }
    const done = test;
    test = undefined;
    const name = done.open.attributes["name"] ?? "";
    if (name.trim() !== "") return [caseOf(done, name)];
    complain(done.open, { field: "name", found: "missing", expected: "the name of the test" });
    return [];
  };
  return {
    push: (event) => {
      if (event.kind === "open") begin(event);
      else if (event.kind === "text") {
        if (test !== undefined && text.length < longestBody) text += event.text;
      } else return finish();
      return [];
    },
  };
}

function suitesOf(path: readonly Open[]): readonly string[] {
  return path.flatMap(({ name, attributes }) => {
    const suite = attributes["name"] ?? "";
    return name === "testsuite" && suite !== "" ? [suite] : [];
  });
}

function requireRoot({ name }: Open, file: string): void {
  if (name === "testsuites" || name === "testsuite") return;
  const expected = `<testsuites> or <testsuite> at the top, not <${name.slice(0, 60)}>,`;
  throw new Refusal(problem("results_not_format", { format: "JUnit", expected }, { file }));
}

/** Elements that decide a test's result: a misspelt one would be overlooked. */
function misspelt(name: string, isInTest: boolean): string | undefined {
  const lower = name.toLowerCase();
  if (lower === name) return undefined;
  const known = isInTest ? ["testcase", ...order] : ["testcase"];
  return known.find((each) => each === lower);
}

/** Priority if a test has several of these: a failed assertion tells more than the error that follows from it. */
const order = ["failure", "error", "skipped"] as const;

function noteEnd(test: Testcase, { name, attributes }: Open, body: string): void {
  const kind = order.find((known) => known === name);
  if (kind === undefined) return;
  const before =
    test.end === undefined ? order.length : order.findIndex((known) => known === test.end?.kind);
  if (order.indexOf(kind) >= before) return;
  const type = attributes["type"] ?? "";
  test.end =
    kind === "skipped"
      ? { kind }
      : { kind, type: type === "" ? kind : type, message: messageOf(attributes["message"], body) };
}

/** A test's output may have any length and is ignored. */
const longestBody = 1024 * 1024;
const longestMessage = 4000;

/** The text, which mostly begins with the message; otherwise the message and the text. */
function messageOf(message: string | undefined, body: string): string {
  const [head, text] = [(message ?? "").trim(), body.trim()];
  if (bare(text) === bare(head)) return cutText(head, longestMessage);
  const said = text.includes(head) ? text : `${head}\n${text}`;
  return cutText(said.trim(), longestMessage);
}

/** Removes pytest's mark: it begins the lines of an error with an `E` and indents them. */
function bare(text: string): string {
  return text.replaceAll(/^E\s+/gm, "").replaceAll(/\s+/g, " ");
}

function noteProperty({ properties }: Testcase, { attributes }: Open, body: string): void {
  const name = attributes["name"] ?? "";
  if (name !== "") properties.set(name, attributes["value"] ?? body.trim());
}

/** Words that some tools use instead of an element, for a failed test or for one that ended in an error. */
const failed = /^(?:fail|failed|failure)$/i;
const broken = /^(?:error|errored|broken)$/i;
/** Words that some tools use for a test that did not run; GoogleTest has them in `result`. */
const notRun = /^(?:notrun|skipped|suppressed|disabled|pending|ignored)$/i;

function caseOf(test: Testcase, name: string): JunitCase {
  const { open } = test;
  const properties = Object.fromEntries(test.properties);
  const { attributes, line } = open;
  const seconds = Number(attributes["time"] ?? Number.NaN);
  const where = whereOf(test, name);
  return {
    id: [where.file, where.group, name].filter((part) => part !== undefined).join("::"),
    line,
    sources: [attributes["file"] ?? "", attributes["classname"] ?? "", ...test.suites],
    end: test.end ?? endByWord(attributes),
    fields: { ...fieldsOf(where), ...properties },
    properties,
    seconds: Number.isFinite(seconds) && seconds >= 0 ? seconds : null,
  };
}

/** The result by the attributes, if no element tells it; the worst one counts. */
function endByWord(attributes: Open["attributes"]): JunitEnd {
  const words = [attributes["status"] ?? "", attributes["result"] ?? ""].map((word) => word.trim());
  const find = (known: RegExp): string | undefined => words.find((word) => known.test(word));
  const [failure, error] = [find(failed), find(broken)];
  if (failure !== undefined) return { kind: "failure", type: "failure", message: failure };
  if (error !== undefined) return { kind: "error", type: "error", message: error };
  return { kind: find(notRun) === undefined ? "passed" : "skipped" };
}

interface Where {
  readonly file: string | undefined;
  /** The class, or the suites around the test if it has none. */
  readonly group: string | undefined;
}

/** Node's own runner uses this as every class name. */
const noClass = "test";

function whereOf({ open: { attributes }, suites }: Testcase, name: string): Where {
  const declared = attributes["classname"] ?? attributes["class"] ?? "";
  const isClass = declared !== "" && declared !== noClass && declared !== name;
  const group = isClass ? declared : suites.join(" > ");
  const file = attributes["file"] ?? "";
  return {
    file: file === "" || isAbsolute(file) || saysFile(group, file) ? undefined : file,
    group: group === "" ? undefined : group,
  };
}

/** An absolute path is no name: on another machine the same test would have another. */
function isAbsolute(file: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:|\w+:\/\/)/.test(file);
}

/** `tests.test_labels.TestService` already contains `tests/test_labels.py`. */
function saysFile(group: string, file: string): boolean {
  const dotted = file.replace(/\.\w+$/, "").replaceAll(/[/\\]/g, ".");
  return group === file || group === dotted || group.startsWith(`${dotted}.`);
}

function fieldsOf({ file, group }: Where): Readonly<Record<string, string>> {
  return { ...(file !== undefined && { file }), ...(group !== undefined && { suite: group }) };
}
