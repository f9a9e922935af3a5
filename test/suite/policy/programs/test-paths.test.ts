import { expect, it } from "vitest";
import { isTestOrDocument } from "../../../../src/suite/policy/programs/test-paths.ts";

it.each([
  ["tests/unit/test_app.py", "evals", true],
  ["app/ticket.test.ts", "evals", true],
  ["pkg/label_test.go", "evals", true],
  ["src/__snapshots__/chat.snap", "evals", true],
  ["docs/results.md", "evals", true],
  ["README.md", ".", true],
  ["notebooks/explore.ipynb", "evals", true],
  ["evals/table.json", "evals", false],
  ["app/latest.json", "evals", false],
  ["kb/faq.md", "evals", false],
  ["protest/a.json", "evals", false],
  // The suite is among the tests itself, and its app beside it.
  ["tests/evals/table.json", "tests/evals", false],
  ["tests/app/table.json", "tests/evals", false],
  ["tests/unit/test_app.py", "tests/evals", true],
  ["tests/fixtures/table.json", "tests/evals", true],
])("%s beside a suite in %s is a test or document: %s", (path, home, is) => {
  expect(isTestOrDocument(path, home)).toBe(is);
});
