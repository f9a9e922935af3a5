import { expect, it } from "vitest";
import type { PageCase, PageIndex } from "../../src/model/page.ts";
import { startProject, type Files } from "../support/github/project.ts";
import { unpack } from "../support/page/unpack.ts";
import { suiteFiles } from "../support/suite-files.ts";

/** The page of a run on a pull request: uploaded as it is, and linked. */

const gate = "{ rules: [{ metric: exact_match, max_drop: 0.02 }] }";
const suite = (wrong: number): Files =>
  suiteFiles({ cases: 40, answer: (i) => (i < wrong ? "no" : undefined), gate });

it(
  "uploads report.html unzipped under the run's name, and links it from comment, check and summary",
  { tags: "smoke" },
  async () => {
    await using project = await startProject(suite(0));
    await project.push("main", { inputs: { report: "true" } });
    await project.commit("change", suite(12));
    // The report names the consequence that the comment names, and only the job knows it.
    const inputs = { report: "true", "fail-on": "error" };
    const end = await project.pull("change", { inputs });
    expect(end.code, end.stdout).toBe(0);
    const title = "12 of 40 cases broke, reported only";
    const { github } = project;
    const page = github.artifacts.all.findLast(({ name }) => name.endsWith(".html"));
    expect(page?.name).toBe("regrade-qa~evals~1.html");
    expect(page?.mimeType).toBe("text/html");
    const html = page?.content?.toString() ?? "";
    expect(html).toMatch(/^<!doctype html>/);
    // The zip of the run does not hold it a second time.
    expect(Object.keys(end.artifacts["regrade-qa"] ?? {})).not.toContain("report.html");
    const { runs } = unpack(html, "index") as PageIndex;
    expect(runs[0]).toMatchObject({
      suite: "qa",
      verdict: { title, broke: 12 },
    });
    // Both sides are there: the baseline's texts were fetched from its own run.
    const [first] = unpack(html, "r0c0") as readonly PageCase[];
    expect(first?.now[0]?.output).toBe("no");
    expect(first?.before[0]?.output).toBe(first?.target);
    const url = `artifacts/${page?.id}`;
    const [comment] = github.rest.state.comments;
    expect(comment?.body).toContain(url);
    expect(comment?.body).toContain(title);
    expect(end.summary).toContain(url);
    expect(JSON.stringify(github.rest.state.checks)).toContain(url);
  },
);
