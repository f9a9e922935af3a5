import { useSignal } from "@preact/signals";
import { InlineDiff, SideBySide } from "./diff.tsx";
import { Long, Section, type Sides } from "./parts.tsx";
import { Plain } from "./text.tsx";

/** Answers before and now: word by word, or side by side. */
export function Answer({ now, before }: Sides) {
  const isBeside = useSignal(false);
  const [is, was] = [now?.output ?? null, before?.output ?? null];
  const isChanged = is !== null && was !== null && is !== was;
  return (
    <Section
      title={answerTitle(is, was)}
      tools={
        isChanged && (
          <button
            type="button"
            class="plain"
            aria-pressed={isBeside.value}
            onClick={() => (isBeside.value = !isBeside.value)}
          >
            Side by side
          </button>
        )
      }
    >
      <Texts now={is} before={was} isBeside={isBeside.value} isThere={now !== undefined} />
      {now?.incomplete === true && <p class="before">The answer was cut off.</p>}
      {now?.formatError !== undefined && (
        <p class="before">
          Not of the form that was asked for: <Plain text={now.formatError} />
        </p>
      )}
      <Extracted now={now} before={before} />
    </Section>
  );
}

function Texts(shown: {
  readonly now: string | null;
  readonly before: string | null;
  readonly isBeside: boolean;
  /** True if the case is in this run. */
  readonly isThere: boolean;
}) {
  const { now, before, isBeside, isThere } = shown;
  if (now !== null && before !== null && now !== before)
    return isBeside ? (
      <SideBySide before={before} now={now} />
    ) : (
      <InlineDiff before={before} now={now} />
    );
  if (now !== null) return <Long text={now} />;
  return (
    <>
      <p class="none">{isThere ? "No answer." : "The case is not in this run."}</p>
      {before !== null && (
        <>
          <h4>Before</h4>
          <Long text={before} />
        </>
      )}
    </>
  );
}

function answerTitle(is: string | null, was: string | null): string {
  if (is === null || was === null) return "Answer";
  return is === was ? "Answer, the same as before" : "Answer, before and now";
}

function Extracted({ now, before }: Sides) {
  if (now === undefined || now.output === null) return null;
  const fields = Object.entries(now.fields ?? {});
  const isOther = now.extracted !== now.output;
  const was = before?.extracted ?? null;
  if (!isOther && fields.length === 0) return null;
  return (
    <dl class="pairs">
      {isOther && (
        <>
          <dt>Extracted</dt>
          <dd>
            {was !== null && was !== now.extracted && (
              <>
                <del>
                  <Plain text={was} />
                </del>{" "}
                →{" "}
              </>
            )}
            {now.extracted === null ? (
              <span class="none">nothing</span>
            ) : (
              <Plain text={now.extracted} />
            )}
          </dd>
        </>
      )}
      {fields.map(([name, text]) => (
        <>
          <dt>
            <Plain text={name} />
          </dt>
          <dd>{text === null ? <span class="none">nothing</span> : <Plain text={text} />}</dd>
        </>
      ))}
    </dl>
  );
}
