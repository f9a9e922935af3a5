import { describe, expect, it } from "vitest";

import type { Run } from "../../src/model/outcomes/run.ts";
import { renderCheck } from "../../src/report/check.ts";
import type { CommentView } from "../../src/report/comment.ts";
import { attacked } from "./attacked.ts";
import { views } from "./comment-examples.ts";
import * as examples from "./examples.ts";
import { expectSound } from "./sound.ts";

const locate = (path: readonly (string | number)[]) => ({
  file: "evals/support-bot.yaml",
  line: path.length === 0 ? 1 : 10 + path.length,
  path: path.join("."),
});

describe("the check run", () => {
  it.each(["fail", "pass", "fork", "not-affected", "refused"])(
    "%s reads as agreed",
    async (name) => {
      const { title, summary, text } = renderCheck(viewOf(name));
      const all = `${title}\n\n=== summary\n\n${summary}\n\n=== text\n\n${text}\n`;
      await expect(all).toMatchFileSnapshot(`../golden/report/check/${name}.md`);
      expectSound(summary);
      expectSound(text);
    },
  );

  it("says the figures in its title, which the pull request shows beside its name", () => {
    expect(renderCheck(viewOf("fail")).title).toMatch(
      /^18 of 240 cases broke, merge blocked, against main: qa\/exact_match 88\.8% → 83\.8%, −5\.0 points \(/,
    );
  });

  it("has a title and a summary whatever there is to say: GitHub refuses a check without", () => {
    for (const [name, view] of Object.entries(views)) {
      const { title, summary } = renderCheck(view);
      expect({ name, title, summary }).toEqual({
        name,
        title: expect.stringMatching(/\S/),
        summary: expect.stringMatching(/\S/),
      });
    }
  });

  it("shows no alerts, which GitHub does not draw in checks", () => {
    expect(renderCheck(viewOf("fail")).summary).not.toContain("[!");
  });
});

describe("the check's annotations", () => {
  it("point at the rule that was missed", () => {
    const rules = [
      { metric: "qa/*", max_drop: 0.05 },
      { metric: "qa/exact_match", max_drop: 0.02 },
    ];
    const [first] = renderCheck(located(withRules(rules))).annotations;
    expect(first).toMatchObject({
      path: "evals/support-bot.yaml",
      start_line: 13,
      end_line: 13,
      annotation_level: "failure",
      title: "qa/exact_match fails",
    });
    expect(first?.message).toContain("−5.0 points (90% interval −8.6 to −1.7 points");
  });

  it("point at the gate where the rule is the default one", () => {
    const [first] = renderCheck(located(examples.failed)).annotations;
    expect(first).toMatchObject({ start_line: 12, annotation_level: "failure" });
  });

  it("are no failures where the loss was accepted", () => {
    const view = viewOf("accepted");
    const levels = renderCheck(view.kind === "run" ? located(view.run) : view).annotations.map(
      (each) => each.annotation_level,
    );
    expect(levels).not.toContain("failure");
    expect(levels).toContain("warning");
  });

  it("point at the grader's line, without its words where only ids may be published", () => {
    const [group] = examples.errors;
    const message = "KeyError: 'secret text' (graders/qa.py:12, in grade)";
    const errors = group ? [{ ...group, message }] : [];
    const view = { ...located(examples.passed), errors };
    const [ids] = renderCheck({ ...view, content: "ids" }).annotations;
    expect(ids).toMatchObject({ path: "evals/graders/qa.py", start_line: 12 });
    expect(ids?.message).not.toContain("secret");
    const [full] = renderCheck({ ...view, content: "full" }).annotations;
    expect(full?.message).toContain("secret text");
  });

  it.each(["../../etc/x.py", "/etc/x.py", "../../outside.py"])(
    "never name a file outside the repository (%s)",
    (file) => {
      const [group] = examples.errors;
      const errors = group ? [{ ...group, message: `x (${file}:1, in grade)` }] : [];
      const { annotations } = renderCheck({ ...located(examples.passed), errors });
      expect(annotations).toEqual([]);
    },
  );

  it("are on no file that the checkout does not have", () => {
    const view = located(examples.failed);
    const none = { ...view, circumstances: { ...view.circumstances, hasFile: () => false } };
    expect(renderCheck(view).annotations).not.toEqual([]);
    expect(renderCheck(none).annotations).toEqual([]);
    const refused = viewOf("refused");
    const circumstances = { ...refused.circumstances, hasFile: () => false };
    expect(renderCheck({ ...refused, circumstances }).annotations).toEqual([]);
  });

  it("name every problem of a manifest that was refused, on its line", () => {
    expect(renderCheck(viewOf("refused")).annotations).toMatchObject([
      { path: "evals/support-bot.yaml", start_line: 12, annotation_level: "failure" },
      { path: "evals/support-bot.yaml", start_line: 1, annotation_level: "failure" },
    ]);
  });

  it("keep to GitHub's sizes, and are no commands, whatever they quote", () => {
    const view = attacked(`::error::x\n##[set-output name=a]b ${"🙂".repeat(40_000)}`);
    const circumstances = { ...view.circumstances, locate };
    const { annotations } = renderCheck({ ...view, circumstances });
    expect(annotations.length).toBeGreaterThan(2);
    for (const { title, message } of annotations) {
      expect(title.length).toBeLessThanOrEqual(255);
      expect(Buffer.byteLength(message)).toBeLessThan(64_000);
      expect(`${title}\n${message}`).not.toMatch(/##\[|^\s*::/m);
      expect(`${title}${message}`.isWellFormed()).toBe(true);
    }
  });
});

function viewOf(name: string): CommentView {
  const view = views[name];
  if (view === undefined) throw new Error(name);
  return view;
}

function located(run: Run): Extract<CommentView, { kind: "run" }> {
  const view = viewOf("fail");
  if (view.kind !== "run") throw new Error("no run");
  return { ...view, run, errors: [], circumstances: { ...view.circumstances, locate } };
}

function withRules(rules: readonly { metric: string; max_drop: number }[]): Run {
  const { failed } = examples;
  return { ...failed, suite: { ...failed.suite, gate: { rules } } };
}
