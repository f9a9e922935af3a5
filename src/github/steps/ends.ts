import { basename, extname } from "node:path";
import type { Circumstances } from "../../model/circumstances.ts";
import type { Verdict } from "../../model/outcomes/verdict.ts";
import type { FinishedRun } from "../../run/finish.ts";
import { hasChanged } from "../runner/comment-mode.ts";
import type { CheckConclusion } from "../api/check-run.ts";
import type { SuiteEnd } from "../runner/conclusion.ts";
import { slug } from "../runner/suite-names.ts";
import type { CommentView } from "../../report/comment.ts";

export type FinishedEnd = { readonly kind: "finished"; readonly manifest: string } & FinishedRun;

/** How a suite ended, with all notes about it. */
export type StepEnd = FinishedEnd | Exclude<SuiteEnd, { readonly kind: "finished" }>;

/** The suite's name; if the manifest can't be read, its file's name. */
export function suiteOf(end: StepEnd): string {
  switch (end.kind) {
    case "finished":
      return end.run.suite.name;
    case "not_run":
      return end.suite;
    case "refused":
      return end.suite ?? slug(basename(end.manifest, extname(end.manifest)));
  }
}

/** A suite's end in the form for comment and check. */
export function viewOf(end: StepEnd, circumstances: Circumstances): CommentView {
  switch (end.kind) {
    case "finished": {
      const { run, texts } = end;
      return { kind: "run", run, content: run.suite.publish, ...texts, circumstances };
    }
    case "not_run":
      return { kind: "no_run", suite: end.suite, reason: end.reason, circumstances };
    case "refused": {
      const reason =
        end.exit === 130
          ? ({ kind: "cancelled" } as const)
          : ({ kind: "refused", problems: end.problems } as const);
      return { kind: "no_run", suite: suiteOf(end), reason, circumstances };
    }
  }
}

/** True if there is more to show than a pass. A suite that the change does not touch has nothing to show. */
export function isWorthTelling(end: StepEnd): boolean {
  switch (end.kind) {
    case "finished":
      return end.run.gate.verdict !== "pass" || hasChanged(end.run);
    case "refused":
      return true;
    case "not_run":
      return end.reason.kind !== "not_affected";
  }
}

/** The check's conclusion, which is red only if the step is red, too. */
export function checkConclusion(end: StepEnd, failOn: readonly Verdict[]): CheckConclusion {
  switch (end.kind) {
    case "not_run":
      return "neutral";
    case "refused":
      return end.exit === 130 ? "cancelled" : "failure";
    case "finished": {
      const { verdict } = end.run.gate;
      if (end.run.status === "cancelled") return "cancelled";
      if (failOn.includes(verdict)) return "failure";
      return verdict === "pass" ? "success" : "neutral";
    }
  }
}
