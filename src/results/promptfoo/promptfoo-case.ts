import { valueText } from "../../base/fields.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { RecordReader } from "../record.ts";
import { createRepeatCounter, contentKey } from "../repeats.ts";

/** A test's name, and the parts that distinguish tests of the same name. */
export interface NamedTest {
  /** The id that promptfoo itself uses for a test; null if it has none. */
  readonly id: string | null;
  readonly input: JsonObject;
  /** Assertions of the test: changing them does not change the question. */
  readonly asserted: JsonObject;
}

/** The name of a row's test, with the parts that may distinguish it from others. */
export function namedTest(record: RecordReader): NamedTest {
  const threshold = record.number("testCase.threshold");
  return {
    id: idOf(record),
    input: inputOf(record),
    asserted: {
      assert: record.list("testCase.assert") ?? [],
      ...(threshold !== undefined && { threshold }),
    },
  };
}

function idOf(record: RecordReader): string | null {
  for (const path of ["testCase.metadata.testCaseId", "testCase.id"]) {
    const value = record.value(path);
    if (typeof value === "string" || typeof value === "number") {
      const text = valueText(value).trim();
      if (text !== "") return text;
    }
  }
  return null;
}

/** promptfoo calls a test without description in a file `Row #3`: a position doesn't identify a case. */
const positionOnly = /^Row #\d+$/;

/** The variables, and the description, which distinguishes tests with the same variables. */
function inputOf(record: RecordReader): JsonObject {
  const vars = record.object("testCase.vars") ?? record.object("vars") ?? {};
  const description = record.text("testCase.description");
  if (description === undefined || positionOnly.test(description)) return { vars };
  return { description, vars };
}

/**
 * Tests with one input and several sets of assertions are several cases, distinguished by these. Other tests don't depend
 * on their assertions, so that a test whose assertions change stays the same case. Rows are in the order in which they
 * were answered, which differs from run to run: so all of them are read before the first is named.
 */
export interface TestNames {
  readonly see: (test: NamedTest) => void;
  /** Call this only after all tests were seen. */
  readonly inputOf: (test: NamedTest) => Json;
}

/** An empty collection of tests. */
export function createTestNames(): TestNames {
  const seen = new Map<string, string>();
  const several = new Set<string>();
  return {
    see: ({ id, input, asserted }) => {
      if (id !== null) return;
      const [key, how] = [contentKey(input), contentKey(asserted)];
      const known = seen.get(key);
      if (known === undefined) seen.set(key, how);
      else if (known !== how) several.add(key);
    },
    inputOf: ({ id, input, asserted }) =>
      id === null && several.has(contentKey(input)) ? { ...input, ...asserted } : input,
  };
}

/**
 * Numbers the repeats of a test. promptfoo repeats a test as further rows without a number: rows that are alike in
 * everything that was asked and asserted are repeats.
 */
export function createTestRepeats(): (candidate: string | null, test: NamedTest) => number {
  const repeats = createRepeatCounter();
  return (candidate, { id, input, asserted }) => repeats([candidate, id, input, asserted]);
}
