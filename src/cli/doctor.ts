import type { DoctorReport } from "../model/doctor.ts";
import { exitCodes } from "../model/verdict.ts";
import { renderDoctor } from "../report/doctor.ts";
import type { DoctorFlags } from "./program.ts";
import type { Screen } from "./screen.ts";

/** Tells what this machine offers. Exit 0, or 4 where `--sandbox required` was asked for and can't be met. */
export async function runDoctor(
  asked: DoctorFlags,
  screen: Screen,
  examine: () => Promise<DoctorReport>,
): Promise<number> {
  const report = await examine();
  if (asked.json) screen.printJson(report);
  else screen.print(renderDoctor(report, screen.width));
  return asked.sandbox === "required" && !report.holds ? exitCodes.error : exitCodes.pass;
}
