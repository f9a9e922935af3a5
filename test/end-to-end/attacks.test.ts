import { describe, expect, it } from "vitest";
import type { Attack } from "./attacks/attack.ts";
import { answers } from "./attacks/answers.ts";
import { approvers } from "./attacks/approvers.ts";
import { archives } from "./attacks/archives.ts";
import { baselines } from "./attacks/baselines.ts";
import { inputs } from "./attacks/inputs.ts";
import { judges } from "./attacks/judges.ts";
import { links } from "./attacks/links.ts";
import { names } from "./attacks/names.ts";
import { packages } from "./attacks/packages.ts";
import { resources } from "./attacks/resources.ts";
import { rules } from "./attacks/rules.ts";
import { runsText } from "./attacks/runs-text.ts";
import { told } from "./attacks/told.ts";
import { vanished } from "./attacks/vanished.ts";

const tables: Readonly<Record<string, readonly Attack[]>> = {
  answers,
  inputs,
  judges,
  links,
  packages,
  resources,
  rules,
  told,
  vanished,
  "answers that are run": runsText,
  approvers,
  baselines,
  names,
  archives,
};

describe.each(Object.entries(tables))("a change that attacks its gate by %s", (_, attacks) => {
  it.each(attacks)("is not green: $attack", async ({ control, run, code, says }) => {
    const [honest, attacked] = [await control(), await run()];
    expect(honest.told, "the control").not.toContain(says);
    expect(honest.code, honest.told).toBe(0);
    expect(attacked.told).toContain(says);
    expect(attacked.code, attacked.told).toBe(code);
  });
});
