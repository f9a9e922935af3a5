import type { PageSample } from "../src/model/page.ts";
import { graderWords } from "../src/report/words/grader-words.ts";
import { Section, type Sides } from "./parts.tsx";
import { Body, Plain } from "./text.tsx";

function wordsOf(sample: PageSample | undefined): string {
  if (sample === undefined || sample.error !== null) return "";
  const { judge, printed, scores } = sample;
  return graderWords({ score: null, judge, printed, scores });
}

/** The grader's message now and, if different, before. */
export function Grader({ now, before }: Sides) {
  const [says, said] = [wordsOf(now), wordsOf(before)];
  return (
    <>
      {now !== undefined && <Trouble sample={now} title="Error" />}
      {says !== "" && (
        <Section title="The grader says">
          <Body text={says} whole={false} />
          {said !== "" && said !== says && (
            <p class="before">
              Before: <Plain text={said} />
            </p>
          )}
        </Section>
      )}
      {before !== undefined && <Trouble sample={before} title="Error before" />}
    </>
  );
}

/** An error, with the end of its traceback unfolded. */
function Trouble({ sample, title }: { readonly sample: PageSample; readonly title: string }) {
  const { error } = sample;
  if (error === null) return null;
  return (
    <Section title={title}>
      <p class="trouble">
        <code>{error.type}</code> while {stageWords[error.stage]}, by the fault of{" "}
        {faultWords[error.fault]}
      </p>
      <pre
        class="body end"
        dir="auto"
        tabIndex={0}
        ref={(element) => {
          if (element) element.scrollTop = element.scrollHeight;
        }}
      >
        <Plain text={error.message} />
      </pre>
    </Section>
  );
}

const stageWords = {
  generate: "the candidate answered",
  extract: "the answer was extracted",
  grade: "it was graded",
} as const;

const faultWords = {
  candidate: "the candidate",
  grader: "the grader",
  infra: "the infrastructure",
} as const;
