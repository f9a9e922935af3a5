import type { Command } from "commander";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { renderDoctor } from "../../report/terminal/doctor.ts";
import { examineMachine } from "../../wiring.ts";
import type { Chosen, CliContext } from "../context.ts";
import { pythonOption, sandboxOption, type GraderFlags } from "../options.ts";

interface DoctorFlags extends GraderFlags {
  readonly json: boolean;
}

/** Declares `regrade doctor`. */
export function declareDoctor(program: Command, chosen: Chosen): void {
  program
    .command("doctor")
    .description(
      "tell what this machine offers, and let a grader try every known way out of the sandbox",
    )
    .addOption(sandboxOption())
    .addOption(pythonOption())
    .option("--json", "write the findings to standard output, as one line of JSON", false)
    .addHelpText(
      "after",
      `
Examples:
  regrade doctor
  regrade doctor --sandbox required                        exit code 4 where files and network can't be held
  regrade doctor --sandbox off                             what a grader could do without it
`,
    )
    .action((flags: DoctorFlags) => chosen((context) => runDoctor(flags, context)));
}

/** Prints what this machine supports. Exit 0, or 4 if `--sandbox required` was requested and can't be met. */
async function runDoctor(flags: DoctorFlags, context: CliContext): Promise<number> {
  const { screen, env, stop } = context;
  const report = await examineMachine({ ...flags, env, signal: stop.signal });
  if (flags.json) screen.printJson(report);
  else screen.print(renderDoctor(report, screen.width));
  return flags.sandbox === "required" && !report.holds ? exitCodes.error : exitCodes.pass;
}
