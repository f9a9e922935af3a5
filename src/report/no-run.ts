import type { Circumstances, NoRun } from "../model/circumstances.ts";
import { countProblems, type Problem } from "../model/refusal.ts";
import type { Verdict } from "../model/outcomes/verdict.ts";
import type { Block } from "./markdown/budget.ts";
import { clip } from "./escape.ts";
import type { Headline } from "./headline.ts";
import { counted } from "./words/figures.ts";
import { toMarkdown, inlineCode, renderedOnce } from "./markdown/layout.ts";
import { name, quoted, text, type RichText } from "./words/sentences.ts";

/** Verdict that a suite without a run counts as. */
export function verdictOfNoRun(reason: NoRun): Verdict {
  switch (reason.kind) {
    case "not_affected":
    case "no_secrets":
      return "neutral";
    case "refused":
    case "crashed":
    case "cancelled":
      return "error";
  }
}

/** The headline of the report on a suite that was not run. */
export function headlineOfNoRun(
  suite: string,
  reason: NoRun,
  circumstances: Circumstances,
): Headline {
  const lines: readonly RichText[] = [];
  switch (reason.kind) {
    case "not_affected": {
      const sentence = [
        text("Nothing that the suite depends on differs from "),
        name(reason.base),
        text("; it was not run."),
      ];
      return { mark: "➖", suite, title: "not affected", isQuiet: true, sentence, lines };
    }
    case "no_secrets": {
      const title = "not run here, no secrets";
      const sentence = withoutSecrets(reason);
      return { mark: "➖", suite, title, isQuiet: false, sentence, lines };
    }
    case "refused": {
      const problems = counted(countProblems(reason.problems), "problem");
      const title = `not run, ${problems} to mend first`;
      const sentence = [text("This is neither a pass nor a fail.")];
      return { mark: "⚠️", suite, title, isQuiet: false, sentence, lines };
    }
    case "crashed": {
      const sentence = [
        text("Regrade stopped on an error of its own; nothing was judged. The log of "),
        text(`attempt ${circumstances.attempt} has it.`),
      ];
      return { mark: "⚠️", suite, title: "no verdict", isQuiet: false, sentence, lines };
    }
    case "cancelled": {
      const sentence = [text("The job was cancelled before there was a run.")];
      return { mark: "➖", suite, title: "cancelled, no verdict", isQuiet: false, sentence, lines };
    }
  }
}

const whoWords = {
  fork: "pull requests of forks",
  dependabot: "pull requests of Dependabot",
} as const;

function withoutSecrets({ who, missing }: Extract<NoRun, { kind: "no_secrets" }>): RichText {
  const keys = missing
    .slice(0, 5)
    .flatMap((key, i) => [text(i === 0 ? "" : ", "), name(key)])
    .filter((piece) => piece.text !== "");
  const more = missing.length > 5 ? [text(` and ${missing.length - 5} more`)] : [];
  return [
    text("Its candidates need "),
    ...(keys.length === 0 ? [text("secrets")] : keys),
    ...more,
    text(
      `, which GitHub does not hand to ${whoWords[who]}. The suite is gated in the merge queue, or when someone with write access runs it.`,
    ),
  ];
}

/** Every problem with its place and its hint. */
export function problemsBlock(problems: readonly Problem[]): Block {
  const rows = renderedOnce(problems, ({ message, hint, place }) => {
    const where = [place?.file, place?.line, place?.column].filter((part) => part !== undefined);
    const head = where.length > 0 ? `${inlineCode(where.join(":"))} ` : "";
    const path =
      place?.path === undefined || place.path === "" ? "" : `${inlineCode(place.path)}: `;
    const advice = hint === undefined ? "" : `<br><sub>${toMarkdown(quoted(hint))}</sub>`;
    return `- ${head}${path}${toMarkdown(quoted(clip(message, 600)))}${advice}`;
  });
  return {
    name: "problems",
    rank: 1,
    rows: problems.length,
    render: (shown) => rows(shown).join("\n"),
  };
}
