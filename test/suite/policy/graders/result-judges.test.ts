import { expect, it } from "vitest";
import { editedJudges } from "../../../../src/suite/policy/graders/result-judges.ts";

const paths = [
  "evals/check.py",
  "evals/checks/check.js",
  "src/test/java/com/acme/LabelTest.java",
  "tests/test_labels.py",
  "tests.py",
];

it.each([
  ["file://check.py", ["evals/check.py"]],
  ["file://./check.py:grade", ["evals/check.py"]],
  ["file://../evals/check.py", ["evals/check.py"]],
  ["file:///ci/app/evals/check.py", ["evals/check.py"]],
  ["file://checks\\check.js", ["evals/checks/check.js"]],
  ["tests/test_labels.py", ["tests/test_labels.py"]],
  ["/ci/app/tests/test_labels.py", ["tests/test_labels.py"]],
  ["tests.test_labels", ["tests/test_labels.py"]],
  ["tests.test_labels.TestLabels", ["tests/test_labels.py"]],
  ["com.acme.LabelTest", ["src/test/java/com/acme/LabelTest.java"]],
  ["com.acme.LabelTest$Inner", ["src/test/java/com/acme/LabelTest.java"]],
  ["eck.py", []],
  ["labels", []],
  ["", []],
  ["file://", []],
  ["file://.", []],
])("finds the file that a tool calls %s", (named, found) => {
  const parts = [{ taken: { judges: [named] }, tasks: [{ id: "labels" }] }];
  const notes = editedJudges(parts, { there: paths.map((path) => ({ path })) });
  const said = notes.map(({ note }) => /^`(.*)`/.exec(note ?? "")?.[1]);
  expect(said).toEqual(found);
});
