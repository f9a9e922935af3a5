import { builtinGraders } from "../model/definition/builtins.ts";
import { modelsAllowed, singleGraders, type SingleGrader } from "../model/definition/graders.ts";
import { problem, type Problem } from "../model/refusal.ts";
import { settingsRefused } from "../model/definition/refused-settings.ts";
import type { ModelRef, Task } from "../model/definition/suite.ts";
import type { Resolved } from "./read-manifest.ts";

/** Reports judges that refuse the temperature that a built-in grader sends; each model once. */
export function judgeSettings(
  { suite, place }: Resolved,
  chosen: readonly Task[],
): readonly Problem[] {
  const seen = new Set<string>();
  return chosen.flatMap((task) => {
    const key = task.grader.type === "several" ? "graders" : "grader";
    const where = place(["tasks", suite.tasks.indexOf(task), key]);
    return singleGraders(task.grader).flatMap((grader) => {
      const judge = judgeOf(grader, suite.judge_model);
      const temperature = temperatureOf(grader);
      if (judge === undefined || temperature === null || seen.has(judge.model)) return [];
      seen.add(judge.model);
      const refused = settingsRefused(judge, { temperature });
      return refused.map(({ settings, why }) => {
        const instead = "Set the grader's option temperature to null.";
        return problem("settings_refused", { model: judge.model, settings, why, instead }, where);
      });
    });
  });
}

function judgeOf(grader: SingleGrader, ofRun: ModelRef | undefined): ModelRef | undefined {
  if (grader.type === "python" || grader.type === "recorded") return undefined;
  if (builtinGraders[grader.type].asksJudge !== true) return undefined;
  const named = grader.options["model"] ?? "auto";
  if (named === "auto") return ofRun;
  return modelsAllowed(grader).find(({ model }) => model === named);
}

/** null if no temperature is sent. */
function temperatureOf(grader: SingleGrader): number | null {
  if (grader.type === "python" || grader.type === "recorded") return null;
  const { temperature = 0 } = grader.options;
  return typeof temperature === "number" ? temperature : null;
}
