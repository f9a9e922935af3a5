import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { PageSample } from "../src/model/page.ts";
import { Body, isLong } from "./text.tsx";

/** A sample, and the same one in the baseline. */
export interface Sides {
  readonly now: PageSample | undefined;
  readonly before: PageSample | undefined;
}

/** A long text that is shown in full on request. */
export function Long({ text }: { readonly text: string }) {
  const whole = useSignal(false);
  return (
    <>
      <Body text={text} whole={whole.value} />
      {isLong(text) && (
        <button type="button" class="plain" onClick={() => (whole.value = !whole.value)}>
          {whole.value ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
        </button>
      )}
    </>
  );
}

/** A part of a case, with a title. */
export function Section(section: {
  readonly title: string;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="part">
      <div class="part-head">
        <h3>{section.title}</h3>
        {section.tools}
      </div>
      {section.children}
    </section>
  );
}

/** Content that most readers skip. */
export function Folded({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <details>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
