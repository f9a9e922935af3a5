import { assert, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";

import { formatComment, parseComment } from "../../src/model/comment.ts";
import { renderCheck } from "../../src/report/check.ts";
import { renderSection, type CommentView } from "../../src/report/comment.ts";
import { comment, comments, here, queued, views } from "./comment-examples.ts";
import { hostileText, random } from "./hostile.ts";
import { hostileRun } from "./hostile-run.ts";
import { expectSound } from "./sound.ts";
import { itSome } from "../support/rows.ts";

const workflow = ".github/workflows/evals.yml";

describe("the comment", () => {
  it.each(Object.entries(comments))("%s reads as agreed", async (name, text) => {
    await expect(text).toMatchFileSnapshot(`../golden/report/comment/${name}.md`);
  });

  it("after a failed run of the merge queue reads as agreed", async () => {
    await expect(queued).toMatchFileSnapshot("../golden/report/comment/merge-queue.md");
    expect(inSight(queued)).toContain("18 of 240 cases broke, merge blocked");
  });

  it.each(Object.entries(comments))("%s is whole, and claims no more than it knows", (_, text) => {
    expectSound(text);
    expect(text).not.toMatch(/no regression(?! detected)/i);
  });

  it("begins with the marker that tells suite, run, attempt and commit", () => {
    const [first = ""] = (comments["fail-repeats"] ?? "").split("\n");
    expect(first).toContain(`support-bot=98123.2@${here.sha}:fail`);
  });

  it("has the verdict, then why cases broke, above all that is on a click", () => {
    const text = comments["fail"] ?? "";
    const places = [
      "### ❌ support-bot: 18 of 240 cases broke",
      "| Cases | Why |",
      "<details>",
      "| Metric |",
    ].map((part) => text.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it("shows how the base branch did, then this run", () => {
    expect(comments["fail"]).toMatch(/Last 10 runs of `main`/);
    expect(comments["fail"]).toMatch(/<code>[▁-█]{10}\u00a0[▁-█]<\/code>/u);
  });

  it("names metric and task of broken and of fixed cases", () => {
    expect(comments["fail"]).toContain("18 broken cases in <code>qa/exact&#95;match</code>");
    expect(comments["fail"]).toContain("6 fixed cases in <code>qa/exact&#95;match</code>");
  });

  it("shows no text of a case where only ids may be published", () => {
    const failing = views["fail"];
    if (failing?.kind !== "run") throw new Error("no run");
    const text = comment([{ ...failing, content: "ids" }]);
    expect(text).toContain("refund-001");
    expect(text).not.toMatch(/14 days|30 days|KeyError|answered in English|returned True/);
  });

  it.each(["inconclusive", "error", "cancelled", "fork", "accepted", "crashed", "refused"])(
    "%s is never green",
    (name) => {
      const first = (comments[name] ?? "").split("\n").find((line) => line.startsWith("### "));
      expect(first).toMatch(/^### (?:⚠️|➖) /u);
    },
  );

  it("says that it was red before", () => {
    expect(comments["resolved"]).toMatch(/Resolved: it had failed at `77aa012`\./);
  });

  it("shows both verdicts and the label where the change alters how it is judged", () => {
    const text = comments["fail-policy"] ?? "";
    expect(text).toContain("This change alters how it is judged");
    expect(text).toContain("| Rule | main: ❌ fail | this change: ✅ pass |");
    expect(text).toContain("The stricter one decides: the base's.");
    expect(text).toContain("`eval-policy-approved`");
  });

  it("gives a command that names the suite where there are several, and runs nothing of a name", () => {
    const failing = views["fail"];
    if (failing?.kind !== "run") throw new Error("no run");
    const [rule] = failing.run.gate.rules;
    const changed = {
      broke: [{ case_id: "-x $(curl evil) 'y'", before: 1, after: 0 }],
      fixed: [],
    };
    const rules = rule ? [{ ...rule, changed }] : [];
    const run = { ...failing.run, gate: { ...failing.run.gate, rules } };
    const circumstances = { ...here, severalSuites: true };
    const text = renderSection({ ...failing, run, circumstances })(60_000);
    const line = text.split("\n").find((each) => each.startsWith("Look into a case"));
    const shown = line
      ?.replace(/<\/?code>/g, "")
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    expect(shown).toBe(
      String.raw`Look into a case: regrade show --suite support-bot 98123 -- '-x $(curl evil) '\''y'\'''`,
    );
  });

  it("keeps 300 rules from pushing all else out of sight", () => {
    const failing = views["fail"];
    if (failing?.kind !== "run") throw new Error("no run");
    const [rule] = failing.run.gate.rules;
    const rules = rule
      ? Array.from({ length: 300 }, (_, i) => ({ ...rule, metric: `metric_${i}` }))
      : [];
    const run = { ...failing.run, gate: { ...failing.run.gate, rules } };
    const text = renderSection({ ...failing, run })(60_000);
    expectSound(text);
    const open = text.slice(0, text.indexOf("<details>"));
    expect(open).toContain("| Cases | Why |");
    expect(open).not.toContain("| Metric |");
    expect(text).toMatch(/<summary>\d+ more rules<\/summary>/);
    expect(text).toMatch(/rules \(\d+ of 300 shown\)/);
  });

  it("has nothing in sight that is wider than a phone", () => {
    for (const text of Object.values(comments)) {
      const open = inSight(text);
      for (const row of open.match(/^\|.*\|$/gm) ?? [])
        expect(row.split(" | ").length).toBeLessThanOrEqual(3);
    }
  });

  it("tells of a suite that passes in one line, and folds all else", () => {
    const section = renderSection(views["pass"] ?? raise())(60_000);
    const open = inSight(section).replaceAll(/<sub>.*<\/sub>/g, "");
    const lines = open.split("\n").filter((line) => line !== "" && !line.startsWith("<!--"));
    expect(lines).toEqual([expect.stringMatching(/^✅ \*\*support-bot: passes\.\*\* /)]);
  });

  it("leads to a group and to a case in the report, where there is one", () => {
    const failing = views["fail"] ?? raise();
    const reportUrl = "https://github.com/acme/support/actions/runs/98123/artifacts/42";
    const text = renderSection({ ...failing, circumstances: { ...here, reportUrl } })(60_000);
    expect(text).toContain(
      `**[Open the report](${reportUrl})** · [the 18 cases](${reportUrl}#show=broke)`,
    );
    expect(text).toContain(`| **[5](${reportUrl}#group=1)** |`);
    expect(text).toContain(`[Open \`refund-001\`](${reportUrl}#case=refund-001)`);
    expectSound(text);
  });

  it("offers no label for what it can't accept", () => {
    const failing = views["fail"] ?? raise();
    if (failing.kind !== "run") throw new Error("no run");
    expect(comments["fail"]).toContain("**Meant?** The label `evals-accepted`");
    const [drop] = failing.run.gate.rules;
    const must = drop && { ...drop, kind: "must_pass" as const, code: "cases_short" as const };
    const run = { ...failing.run, gate: { ...failing.run.gate, rules: must ? [must] : [] } };
    expect(renderSection({ ...failing, run })(60_000)).not.toContain("Meant?");
    expect(comments["accepted"]).not.toContain("Meant?");
  });

  it("offers the label for changed rules only where these rules pass", () => {
    const failing = views["fail-policy"] ?? raise();
    if (failing.kind !== "run" || !failing.run.policy?.head) throw new Error("no policy");
    const { policy } = failing.run;
    const withHead = (verdict: "pass" | "fail"): string => {
      const head = { ...policy.head, verdict };
      const run = { ...failing.run, policy: { ...policy, head } } as typeof failing.run;
      return renderSection({ ...failing, run })(60_000);
    };
    expect(withHead("pass")).toContain("Not approved: the label `eval-policy-approved`");
    expect(withHead("fail")).not.toContain("eval-policy-approved");
  });

  it("makes links of web addresses alone", () => {
    const failing = views["fail"];
    if (failing === undefined) throw new Error("no view");
    const circumstances = { ...here, runUrl: "javascript:alert(1)", artifactUrl: "x) <img src=y>" };
    const text = renderSection({ ...failing, circumstances })(60_000);
    expect(text).not.toMatch(/javascript|<img/);
  });
});

describe("sections under a limit", () => {
  const { run, texts } = hostileRun(7);
  const view: CommentView = {
    kind: "run",
    run,
    content: "full",
    broken: texts,
    circumstances: here,
  };
  const render = renderSection(view);

  itSome([0, 20, 300, 1500, 6000, 20_000, 60_000, 65_536])(
    "a section of hostile text in %i bytes keeps to it, and keeps its form",
    (room) => {
      const text = render(room);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(room);
      expectSound(text);
    },
  );

  itSome([0, 300, 3000, 65_000])("so do a check's summary and text (%i bytes)", (limit) => {
    const { title, summary, text } = renderCheck(view, limit);
    expect(title.length).toBeLessThanOrEqual(300);
    for (const part of [summary, text]) {
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(limit);
      expectSound(part);
    }
  });

  it.each([65_535, 65_536, 65_537])(
    "a comment at %i bytes of emoji keeps to its limit",
    (limit) => {
      const body = Array.from({ length: 300 }, (_, i) => `${"👩‍👩‍👧".repeat(30)} ${i}`).join(
        "\n\n<!-- regrade:cut -->\n\n",
      );
      const section = { ...emojis, body };
      const text = formatComment({ workflow, sections: [section] }, limit);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
      expect(Buffer.byteLength(text)).toBeGreaterThan(limit - 1500);
      expect(text.isWellFormed()).toBe(true);
    },
  );

  it("says what it left out, and where that is", () => {
    expect(render(8000)).toMatch(
      /Left out to stay under the size limit: .*\(\d+ of \d+ shown\).*in the job summary and the artifact/,
    );
  });

  it("holds for any hostile text, any number of suites, and any limit", () => {
    const holds = property(
      record({
        seed: integer(),
        size: integer({ min: 1, max: 400 }),
        suites: integer({ min: 1, max: 40 }),
        limit: integer({ min: 0, max: 70_000 }),
      }),
      ({ seed, size, suites, limit }) => {
        const text = comment(manySuites({ seed, size, suites }), limit);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
        if (text !== "") expectSound(text);
        const parsed = parseComment(text)?.sections ?? [];
        for (const { suite } of parsed) expect(suite).toMatch(/^suite-\d+$/);
      },
    );
    assert(holds, { numRuns: 60 });
  });

  it("keeps every suite's verdict though no body fits", () => {
    const text = comment(manySuites({ seed: 1, size: 50, suites: 40 }), 6000);
    expect(parseComment(text)?.sections).toHaveLength(40);
    expect(text).toMatch(/\*\*40 suites\*\* — ❌ failed: /);
  });
});

const emojis = {
  suite: "a",
  runId: "98123",
  attempt: 1,
  sha: here.sha,
  verdict: "fail",
} as const;

function manySuites(of: { seed: number; size: number; suites: number }): readonly CommentView[] {
  const next = random(of.seed);
  const failing = views["fail"];
  if (failing?.kind !== "run") throw new Error("no run");
  const text = (): string => hostileText(next, of.size);
  return Array.from({ length: of.suites }, (_, i) => {
    const [rule] = failing.run.gate.rules;
    const broke = [{ case_id: text(), before: 1, after: 0 }];
    const rules = rule ? [{ ...rule, metric: text(), changed: { broke, fixed: broke } }] : [];
    const suite = { ...failing.run.suite, name: `suite-${i}` };
    const gate = { verdict: "fail" as const, reasons: [text(), text()], rules };
    return { ...failing, run: { ...failing.run, suite, gate } };
  });
}

function raise(): never {
  throw new Error("no view");
}

/** What is there without a click. */
function inSight(text: string): string {
  const folded = /<details>(?:(?!<details>)[^])*?<\/details>/g;
  const less = text.replaceAll(folded, "");
  return less === text ? text : inSight(less);
}
