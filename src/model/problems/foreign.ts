import type { Said } from "./said.ts";

/** Problems with suites of other tools. */
export const foreignTexts = {
  import_samples_foreign: ({ path }: { path: string }): Said => ({
    message: `--samples belongs to exports of the hosted product, and ${path} is another tool's suite`,
    hint: "Results of another tool are read by `regrade run --results FILE --format TOOL`.",
  }),
  manifest_of_other_tool: (found: {
    tool: string;
    format: string;
    kind: "configuration" | "results";
  }): Said => ({
    message: `this is ${found.kind === "results" ? "a file of results" : "a configuration"} of ${found.tool}, and no manifest`,
    hint:
      found.kind === "results"
        ? `Judge it with \`regrade run --results FILE --format ${found.format}\` (docs/results/${found.format}.md).`
        : `Let ${found.tool} run it, and judge the results that it writes: \`regrade run --results FILE --format ${found.format}\` (docs/results/${found.format}.md). Or let \`regrade init\` write a manifest.`,
  }),
  uses_other_key: ({ key, own }: { key: string; own: readonly string[] }): Said => ({
    message: `\`${key}\` can't stand beside \`uses\`: the tasks are those of the file that it names`,
    hint: `Beside \`uses\` there may be ${own.join(", ")}. \`regrade import FILE\` writes the whole manifest out.`,
  }),
  uses_unusable: ({ reason }: { reason: string }): Said => ({
    message: `the file that \`uses\` names can't be used: ${reason}`,
    hint: "Name the suite of another tool, such as eval.yaml, by its path from this file's folder.",
  }),
  uses_unknown_tool: ({ path }: { path: string }): Said => ({
    message: `${path} is no suite of a tool that is known here`,
    hint: "Known are the files of waza (eval.yaml), k-eval (config.yaml) and SyGra (graph_config.yaml). Is a key of the file misspelt?",
  }),
};
