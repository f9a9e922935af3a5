import { plural } from "../../model/number-words.ts";
import type { Command } from "commander";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import type { Prepared } from "../../suite/prepare.ts";
import { toolsFor, type Chosen, type CliContext } from "../context.ts";
import { pythonOption, strictOption } from "../options.ts";
import { overridesIn, withOverrideFlags, type OverrideFlags } from "../run-flags.ts";
import { suiteFiles, validateEach } from "../validate-each.ts";

interface ValidateFlags extends OverrideFlags {
  readonly python: string;
  readonly strict: boolean;
  readonly quiet: boolean;
}

/** Declares `regrade validate`. */
export function declareValidate(program: Command, chosen: Chosen): void {
  withOverrideFlags(program.command("validate"))
    .description(
      "check everything that can be checked without running: manifest, data, graders, patterns",
    )
    .argument("<suite...>", "suite manifests (YAML or JSON)")
    .addOption(pythonOption())
    .addOption(strictOption())
    .option("-q, --quiet", "print nothing if all is valid", false)
    .addHelpText(
      "after",
      `
Examples:
  regrade validate evals/support.yaml
  regrade validate evals/*.yaml --quiet                    in a hook before a commit: exit code 0 or 2
`,
    )
    .action((suites: string[], flags: ValidateFlags) =>
      chosen((context) => validateAll(suites, flags, context)),
    );
}

async function validateAll(
  named: readonly string[],
  flags: ValidateFlags,
  context: CliContext,
): Promise<number> {
  const { screen } = context;
  const suites = await suiteFiles(named, context);
  const tools = toolsFor({ ...flags, sandbox: "auto" }, context);
  const { strict } = flags;
  const choices = { overrides: overridesIn(flags) };
  const all = { baseline: undefined, candidates: [], tasks: [], choices };
  const everything = { ...all, baselineMayLack: true, strict };
  const prepared = await validateEach(suites, everything, tools);
  for (const [i, each] of prepared.entries()) {
    screen.warnings(each.warnings);
    if (!flags.quiet) screen.print(`${suites[i] ?? ""}: ${described(each)}\n`);
  }
  return exitCodes.pass;
}

function described({ tasks, candidates }: Prepared): string {
  const cases = tasks.reduce((sum, task) => sum + task.dataset.size, 0);
  const isAll = tasks.every(
    ({ dataset: { first } }) => first === undefined || first.size !== undefined,
  );
  const parts = [
    counted(tasks.length, "task"),
    `${counted(cases, "case")}${isAll ? "" : " or more"}`,
    candidates.length === 0
      ? "no candidate: name one by --model"
      : counted(candidates.length, "candidate"),
  ];
  return `all right (${parts.join(", ")})`;
}

function counted(n: number, noun: string): string {
  return `${n} ${plural(n, noun)}`;
}
