import type { PageCase } from "../src/model/page.ts";
import { Figures } from "./figures.tsx";
import { Folded, Long, type Sides } from "./parts.tsx";

/** The figures of a case, and all of its other stored data. */
export function More({ texts, now, before }: Sides & { readonly texts: PageCase }) {
  const calls = now?.calls ?? [];
  const kept: readonly (readonly [title: string, text: string])[] = [
    ["All that the grader returned", returned(now)],
    ["All that the grader returned before", returned(before)],
    ["What the grader printed", now?.printed ?? ""],
    [
      `Models that the grader asked (${calls.length})`,
      calls.length === 0 ? "" : JSON.stringify(calls, null, 2),
    ],
    ["Row of the data set", JSON.stringify(texts.row, null, 2)],
  ];
  return (
    <>
      <Figures now={now} before={before} />
      {kept.map(
        ([title, text]) =>
          text !== "" && (
            <Folded key={title} title={title}>
              <Long text={text} />
            </Folded>
          ),
      )}
    </>
  );
}

function returned(of: Sides["now"]): string {
  return of === undefined || of.judge === null ? "" : JSON.stringify(of.judge, null, 2);
}
