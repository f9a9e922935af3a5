import type { ComponentChildren } from "preact";

/** A drawing with a title and a sentence that explains how to read it. */
export function Chart(chart: {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section aria-labelledby={chart.id} class="chart">
      <h2 id={chart.id}>{chart.title}</h2>
      <p class="about">{chart.about}</p>
      {chart.children}
    </section>
  );
}
