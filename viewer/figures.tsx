import { duration, figure, usd } from "../src/report/words/figures.ts";
import type { PageSample } from "../src/model/page.ts";
import type { Sides } from "./parts.tsx";
import { Plain } from "./text.tsx";
import { count } from "./words.ts";

interface Row {
  readonly name: string;
  readonly before: string;
  readonly now: string;
}

/** Scores, tokens, time and cost of a sample, before and now. */
export function Figures({ now, before }: Sides) {
  const rows = rowsOf({ now, before });
  if (rows.length === 0) return null;
  return (
    <table class="figures-table">
      <thead>
        <tr>
          <th scope="col">Figure</th>
          {before !== undefined && <th scope="col">Before</th>}
          <th scope="col">Now</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">
              <Plain text={row.name} />
            </th>
            {before !== undefined && <td>{row.before}</td>}
            <td>{row.now}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function rowsOf(sides: Sides): readonly Row[] {
  const { now, before } = sides;
  const names = new Set([...Object.keys(now?.scores ?? {}), ...Object.keys(before?.scores ?? {})]);
  return [
    ...[...names].map((name) =>
      rowOf(name, sides, ({ scores }) =>
        scoreText(Object.hasOwn(scores, name) ? scores[name] : undefined),
      ),
    ),
    rowOf("Time", sides, ({ latencyMs }) => latencyMs !== null && duration(latencyMs / 1000)),
    rowOf("Tokens in", sides, ({ usage }) => usage !== null && count(usage.input_tokens)),
    rowOf("Tokens out", sides, ({ usage }) => usage !== null && count(usage.output_tokens)),
    rowOf("Cost", sides, ({ usage }) => typeof usage?.usd === "number" && usd(usage.usd)),
    rowOf("From the cache", sides, ({ cached }) => cached && "yes"),
  ].filter((row) => row.before !== "" || row.now !== "");
}

function scoreText(score: number | undefined): string {
  return score === undefined ? "" : figure(score, "number");
}

function rowOf(
  name: string,
  {
    now,
    before,
  }: { readonly now: PageSample | undefined; readonly before: PageSample | undefined },
  words: (sample: PageSample) => string | false,
): Row {
  const of = (sample: PageSample | undefined): string => (sample && words(sample)) || "";
  return { name, before: of(before), now: of(now) };
}
