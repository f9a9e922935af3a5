import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import type { Calibration } from "../../src/model/figures/calibration.ts";
import { repository } from "../support/cli.ts";
import { runCli } from "./run-cli.ts";

/** The quickstart against itself: a program without chance in it, which the gate must never block. */

it(
  "regrade calibrate on the quickstart finds no false alarm, no noise, and what 152 cases can show",
  { tags: "long" },
  async () => {
    await using fixture = await createFixture({});
    const suite = "examples/quickstart/suite.yaml";
    const argv = ["calibrate", suite, "--runs", "2", "--out", fixture.path, "--json", "--quiet"];
    const end = await runCli(argv, { directory: repository });
    expect({ code: end.code, stderr: end.stderr }).toEqual({ code: 0, stderr: "" });
    const found = JSON.parse(end.stdout) as Calibration;
    expect(found).toMatchObject({
      suite: "support-tickets",
      alarms: { count: 0, of: 2 },
      dealt: { count: 0, of: 1000 },
      verdicts: { pass: 2, fail: 0, error: 0 },
    });
    expect(found.noise.map(({ flickering, within }) => [flickering.count, within])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    const [label, least, urgency] = found.rules;
    expect(least).toMatchObject({ kind: "min", naive: null, alarms: { count: 0, of: 2 } });
    expect(urgency).toMatchObject({ level: "warn", alpha: 0.05 });
    // Where no case changed, a quarter of one is taken to change by chance: 4 broken ones are a proof mostly, and expected 4 times in 5 from 3.8 points on.
    expect(label).toMatchObject({ metric: "label", cases: 152, disagree: 0, alpha: 0.05 });
    expect(label?.detects).toBeCloseTo(0.0376, 4);
    expect(label?.advice.join(" ")).toContain("`prove: nothing` would block from 2.0 points on");
  },
);
