import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  cohenKappa,
  krippendorffAlpha,
  predictionPowered,
  roganGladen,
} from "../../../src/stats/aggregates/agreement.ts";

/** Made by scripts/agreement-vectors.py: value, then the ends of its 95 % interval. */
type Figures = readonly [number, number, number];

interface Vector {
  readonly name: string;
  readonly all: readonly number[];
  readonly judge: readonly number[];
  readonly people: readonly number[];
  readonly kappa: Figures;
  readonly alpha: number;
  readonly powered: Figures;
  readonly rogan_gladen: Figures | null;
}

const {
  vectors,
  several,
}: {
  readonly vectors: readonly Vector[];
  readonly several: { readonly units: readonly (readonly number[])[]; readonly alpha: number };
} = JSON.parse(readFileSync(new URL("../agreement.json", import.meta.url), "utf8"));

function expectFigures(found: ReturnType<typeof cohenKappa>, [value, lower, upper]: Figures): void {
  expect(found?.value).toBeCloseTo(value, 10);
  expect(found?.ci?.[0]).toBeCloseTo(lower, 10);
  expect(found?.ci?.[1]).toBeCloseTo(upper, 10);
}

describe("a judge beside people", () => {
  it.each(vectors)(
    "has the figures of statsmodels, krippendorff and the papers: $name",
    (vector) => {
      const pairs = vector.judge.map((judge, i) => ({ judge, people: vector.people[i] ?? 0 }));
      expectFigures(cohenKappa(pairs), vector.kappa);
      const alpha = krippendorffAlpha(pairs.map(({ judge, people }) => [judge, people]));
      expect(alpha?.value).toBeCloseTo(vector.alpha, 10);
      expect(alpha?.ci?.[0]).toBeLessThan(vector.alpha);
      expect(alpha?.ci?.[1]).toBeGreaterThan(vector.alpha);
      expectFigures(predictionPowered({ all: vector.all, pairs }), vector.powered);
      const share = roganGladen({ all: vector.all, pairs });
      if (vector.rogan_gladen !== null) expectFigures(share, vector.rogan_gladen);
    },
  );

  it("may have units with any number of ratings", () => {
    expect(krippendorffAlpha(several.units)?.value).toBeCloseTo(several.alpha, 10);
  });

  it("has no figure where the labels give none", () => {
    const alike = [
      { judge: 1, people: 1 },
      { judge: 1, people: 1 },
    ];
    expect(cohenKappa(alike)).toBeUndefined();
    expect(cohenKappa([])).toBeUndefined();
    expect(krippendorffAlpha([[1], [2]])).toBeUndefined();
    expect(
      krippendorffAlpha([
        [1, 1],
        [1, 1],
      ]),
    ).toBeUndefined();
    expect(predictionPowered({ all: [1, 0], pairs: [{ judge: 1, people: 1 }] })).toBeUndefined();
    expect(roganGladen({ all: [1, 1], pairs: alike })).toBeUndefined();
    const coin = [0, 1].flatMap((people) => [0, 1].map((judge) => ({ judge, people })));
    expect(roganGladen({ all: [1, 0], pairs: coin })).toBeUndefined();
  });
});
