import { describe, expect, test } from "vitest";
import type { ResultRow } from "../../../src/model/results.ts";
import { looksLikeJunit, openJunit } from "../../../src/results/junit/junit.ts";
import { headOf, readAll, recorded, refusalOf, sourceOf } from "../../support/result-source.ts";

describe("JUnit XML of pytest 9.2.0", () => {
  const base = recorded("pytest/base.xml");
  const head = recorded("pytest/head.xml");

  test("each test once, by class and name", async () => {
    const { rows, metrics, tool } = await readAll(openJunit, sourceOf(head));
    expect(tool).toBe("JUnit XML");
    expect(metrics).toEqual([{ id: "pass", range: [0, 1], direction: "higher_is_better" }]);
    expect(rows).toHaveLength(45);
    const ids = rows.map(({ id }) => id);
    expect(new Set(ids).size).toBe(45);
    expect(ids[0]).toBe("tests.test_labels::test_label[Where is my invoice from March?]");
    const { rows: before } = await readAll(openJunit, sourceOf(base));
    expect(before.map(({ id }) => id)).toEqual(ids);
  });

  test.each([
    ["passes", "tests.test_labels::test_label[Where is my refund from March?]", "scored", 1],
    ["fails", "tests.test_labels::test_label[Where is my login from March?]", "scored", 0],
    ["breaks in its setup", "tests.test_labels.TestService::test_health", "failed", undefined],
    [
      "fails and breaks in its teardown",
      "tests.test_labels.TestService::test_closing",
      "scored",
      0,
    ],
    ["passes when tried again", "tests.test_labels.TestService::test_flaky", "scored", 1],
    ["fails however often", "tests.test_labels.TestService::test_given_up", "scored", 0],
  ])("a test that %s", async (_, id, ...became) => {
    const { rows } = await readAll(openJunit, sourceOf(head));
    const row = rowOf(rows, id);
    expect([row.result.kind, row.scores["pass"]]).toEqual(became);
  });

  test("skipped and expected to fail: left out", async () => {
    const { rows } = await readAll(openJunit, sourceOf(head));
    expect(rows.filter(({ id }) => /test_speed|test_irony/.test(id ?? ""))).toEqual([]);
  });

  test("words, time, properties", async () => {
    const { rows } = await readAll(openJunit, sourceOf(head));
    const row = rowOf(rows, "tests.test_labels::test_label[Where is my login from March?]");
    expect(row.explanation).toMatch(/^AssertionError: assert 'other' == 'account'/);
    expect(row.fields).toEqual({ suite: "tests.test_labels", kind: "0", score: "0.0" });
    expect(row.latencyMs).toBeGreaterThanOrEqual(0);
    const setup = rowOf(rows, "tests.test_labels.TestService::test_health");
    expect(setup.result).toMatchObject({
      kind: "failed",
      type: "error",
      message: expect.stringContaining("ConnectionError: the model's server does not answer"),
    });
    const hostile = rowOf(rows, "tests.test_labels.TestService::test_markup");
    expect(hostile.explanation).toContain("<b>&amp; ]]> #x1B[31mred#x1B[0m ::error::no \u202e");
  });

  test("a property as the metric: tests without it are left out, unless they fail", async () => {
    const { rows, metrics } = await readAll(openJunit, sourceOf(head), ["score"]);
    expect(metrics).toEqual([{ id: "score", range: null, direction: "higher_is_better" }]);
    expect(rows).toHaveLength(44);
    const row = rowOf(rows, "tests.test_labels::test_label[Where is my login from March?]");
    expect(row.scores).toEqual({ score: 0 });
    expect(row.fields).toEqual({ suite: "tests.test_labels", kind: "0" });
    const without = rowOf(rows, "tests.test_labels.TestService::test_given_up");
    expect(without.result).toMatchObject({ kind: "failed", type: "failure" });
    const both = await readAll(openJunit, sourceOf(head), ["pass", "score"]);
    expect(both.metrics.map(({ id }) => id)).toEqual(["pass", "score"]);
    expect(both.rows).toHaveLength(45);
  });

  test("a metric that no test has", async () => {
    const said = await refusalOf(readAll(openJunit, sourceOf(head), ["scores"]));
    expect(said).toContain("no row has the metric 'scores'");
    expect(said).toContain("Did you mean 'score'?");
  });
});

describe("JUnit XML of Vitest 5", () => {
  test("errors of a test are failures there; what does not load is a test of the file's name", async () => {
    const { rows } = await readAll(openJunit, sourceOf(recorded("vitest/head.xml")));
    expect(rows).toHaveLength(45);
    const scoreOf = (id: string): unknown => rowOf(rows, id).scores["pass"];
    expect(scoreOf("evals/labels.test.mjs::labels > Where is my refund from March?")).toBe(1);
    expect(scoreOf("evals/labels.test.mjs::labels > Where is my login from March?")).toBe(0);
    expect(scoreOf("evals/labels.test.mjs::service > answers at the second try")).toBe(1);
    expect(scoreOf("evals/labels.test.mjs::service > throws nothing")).toBe(0);
    expect(scoreOf("evals/labels.test.mjs::service > with a session > closes it")).toBe(0);
    expect(scoreOf("evals/other.test.mjs::evals/other.test.mjs")).toBe(0);
  });

  test("two tests of one name are one case, and fail where one of them does", async () => {
    const same = "evals/labels.test.mjs::service > same name";
    const { rows } = await readAll(openJunit, sourceOf(recorded("vitest/head.xml")));
    expect(rows.filter(({ id }) => id === same)).toHaveLength(1);
    expect(rowOf(rows, same).scores).toEqual({ pass: 0 });
    const { rows: before } = await readAll(openJunit, sourceOf(recorded("vitest/base.xml")));
    expect(rowOf(before, same).scores).toEqual({ pass: 1 });
  });
});

describe("what a test is called", () => {
  test.each([
    [
      "class and name",
      `<testsuite name="s"><testcase classname="C" name="n"/></testsuite>`,
      "C::n",
    ],
    [
      "suites, where there is no class",
      `<testsuites><testsuite name="a"><testsuite name="b"><testcase name="n"/></testsuite></testsuite></testsuites>`,
      "a > b::n",
    ],
    [
      "suites, where Node's runner calls every class 'test'",
      `<testsuites><testsuite name="a"><testcase classname="test" name="n" file="/x/y.ts"/></testsuite></testsuites>`,
      "a::n",
    ],
    [
      "the file",
      `<testsuite><testcase file="a/b.rb" classname="C" name="n"/></testsuite>`,
      "a/b.rb::C::n",
    ],
    [
      "not the file that the class says",
      `<testsuite><testcase file="a/b.py" classname="a.b.C" name="n"/></testsuite>`,
      "a.b.C::n",
    ],
    [
      "not a file of one machine",
      String.raw`<testsuite><testcase file="C:\a\b.php" class="C" name="n"/></testsuite>`,
      "C::n",
    ],
    [
      "in any encoding that is declared",
      Buffer.from(
        `<?xml version="1.0" encoding="iso-8859-1"?><testsuite><testcase name="Grüße"/></testsuite>`,
        "latin1",
      ),
      "Grüße",
    ],
    [
      "in UTF-16",
      Buffer.from(`\ufeff<testsuite><testcase name="Grüße"/></testsuite>`, "utf16le"),
      "Grüße",
    ],
  ])("%s", async (_, xml, id) => {
    const { rows } = await readAll(openJunit, sourceOf(xml, "r.xml"));
    expect(rows.map((row) => row.id)).toEqual([id]);
  });

  test("GoogleTest's tests that did not run are left out", async () => {
    const xml = `<testsuites><testsuite name="A"><testcase name="on" status="run" result="completed" classname="A"/><testcase name="off" status="notrun" result="suppressed" classname="A"/></testsuite></testsuites>`;
    const { rows } = await readAll(openJunit, sourceOf(xml));
    expect(rows.map(({ id }) => id)).toEqual(["A::on"]);
  });

  test.each([
    [`status="failed"`, "scored", 0],
    [`status="Fail"`, "scored", 0],
    [`result="failure"`, "scored", 0],
    [`status="error"`, "failed", undefined],
    [`result="broken"`, "failed", undefined],
    [`status="passed" result="error"`, "failed", undefined],
    [`status="disabled" result="failed"`, "scored", 0],
    [`status="run" result="completed"`, "scored", 1],
  ])("without an element, the attribute tells: %s", async (attribute, ...became) => {
    const xml = `<testsuite><testcase name="n" ${attribute}/></testsuite>`;
    const { rows } = await readAll(openJunit, sourceOf(xml));
    expect(rows.map(({ result, scores }) => [result.kind, scores["pass"]])).toEqual([became]);
  });

  test("elements in other letters are no JUnit, and not overlooked", async () => {
    const xml = `<testsuite>\n<testcase name="a"><Failure/></testcase>\n<testcase name="b"><ERROR/><Output/></testcase>\n<TestCase name="c"/>\n</testsuite>`;
    const said = await refusalOf(readAll(openJunit, sourceOf(xml, "r.xml")));
    expect(said).toContain("line 2: 'Failure' is no element of JUnit; <failure> was expected");
    expect(said).toContain("line 3: 'ERROR' is no element of JUnit; <error> was expected");
    expect(said).toContain("line 4: 'TestCase' is no element of JUnit; <testcase> was expected");
    expect(said).not.toContain("Output");
  });

  test("what a test printed is not looked at, and may be XML", async () => {
    const xml = `<testsuite><testcase name="n"><system-out><![CDATA[<failure/>]]></system-out><system-err><failure message="no"/></system-err></testcase></testsuite>`;
    const { rows } = await readAll(openJunit, sourceOf(xml));
    expect(rows[0]?.scores).toEqual({ pass: 1 });
  });

  test("control characters don't stop the reading", async () => {
    const xml = `<testsuite><testcase name="a\u0000b"><failure message="&#27;[31m \u001b[0m"/></testcase></testsuite>`;
    const { rows } = await readAll(openJunit, sourceOf(xml));
    expect(rows[0]?.id).toBe("a\ufffdb");
    expect(rows[0]?.explanation).toBe("&#27;[31m \ufffd[0m");
  });
});

describe("bad files", () => {
  const whole = recorded("pytest/head.xml");
  test.each([
    [
      "cut off in a test",
      whole.subarray(0, 6000),
      /ends in the middle of <\w+>, at line \d+, column \d+/,
    ],
    [
      "cut off between tests",
      `<testsuite><testcase name="a"/>`,
      /ends in the middle of <testsuite>/,
    ],
    [
      "another XML",
      "<html><body/></html>",
      /no JUnit file: <testsuites> or <testsuite>.*not <html>/,
    ],
    ["no XML", "1..4\nok 1", /can't be read at line \d+, column \d+: text data/],
    [
      "nothing closed right",
      "<testsuite></testsuites>",
      /line 1, column \d+: unexpected close tag/,
    ],
    ["no name", `<testsuite><testcase classname="C"/></testsuite>`, /line 1: 'name' is missing/],
    [
      "a test in a test",
      `<testsuite><testcase name="a"><testcase name="b"/></testcase></testsuite>`,
      /within another/,
    ],
    [
      "an unknown encoding",
      `<?xml version="1.0" encoding="klingon"?><testsuite/>`,
      /"klingon" is not known/,
    ],
    ["an entity of its own", bomb(), /undefined entity/],
    ["endless nesting", "<testsuite>".repeat(300), /nested deeper than 200/],
  ])("%s", async (_, xml, said) => {
    expect(await refusalOf(readAll(openJunit, sourceOf(xml, "r.xml")))).toMatch(said);
  });

  test("all that can't be mapped, at once", async () => {
    const xml = `<testsuite>\n<testcase name="a"><properties><property name="score" value="high"/></properties></testcase>\n<testcase name="b"><properties><property name="score" value="NaN"/></properties></testcase></testsuite>`;
    const said = await refusalOf(readAll(openJunit, sourceOf(xml, "r.xml"), ["score"]));
    expect(said).toContain(`line 2: 'property score' is "high"; a number was expected`);
    expect(said).toContain(`line 3: 'property score' is "NaN"; a number was expected`);
  });

  test("one text of more than 64 MiB", { tags: "long" }, async () => {
    const filler = Buffer.alloc(1024 * 1024, "x");
    const source = {
      ...sourceOf("", "r.xml"),
      async *bytes() {
        yield Buffer.from(`<testsuite><testcase name="a"><system-out>`);
        for (let i = 0; i < 70; i += 1) yield filler;
        yield Buffer.from("</system-out></testcase></testsuite>");
      },
    };
    expect(await refusalOf(readAll(openJunit, source))).toContain("longer than 64 MiB");
  });
});

test("auto knows it by its root element", () => {
  expect(looksLikeJunit(headOf(recorded("pytest/base.xml"), "r.xml"))).toBe(true);
  expect(looksLikeJunit(headOf(recorded("vitest/base.xml"), "r.xml"))).toBe(true);
  expect(looksLikeJunit(headOf("<!-- x --><testsuite/>", "r.xml"))).toBe(true);
  expect(looksLikeJunit(headOf("<html><testsuite/></html>", "r.xml"))).toBe(false);
  expect(looksLikeJunit(headOf('{"a": "<testsuite>"}', "r.json"))).toBe(false);
});

function rowOf(rows: readonly ResultRow[], id: string): ResultRow {
  const row = rows.find((each) => each.id === id);
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
}

/** Ten entities, each ten of the one before it. */
function bomb(): string {
  const entities = Array.from(
    { length: 10 },
    (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`,
  );
  return `<!DOCTYPE testsuite [<!ENTITY e0 "x">${entities.join("")}]><testsuite><testcase name="&e10;"/></testsuite>`;
}
