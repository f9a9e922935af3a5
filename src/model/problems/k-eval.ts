import type { Said } from "./said.ts";

const page = "docs/k-eval.md lists the keys of a k-eval file.";

/** Problems with a config file of k-eval. Values are never shown: they may come from the environment. */
export const kEvalTexts = {
  k_eval_value: ({ key, expected }: { key: string; expected: string }): Said => ({
    message: `\`${key}\` must be ${expected}`,
    hint: page,
  }),
  k_eval_variables_missing: ({ names }: { names: readonly string[] }): Said => ({
    message: `the file names environment variables that are not set: ${names.join(", ")}`,
    hint: "Set all of them where Regrade runs; in a workflow under `env` of the step.",
  }),
  k_eval_import_variables: ({ names }: { names: readonly string[] }): Said => ({
    message: `\`dataset.path\` and \`judge.model\` take ${names.join(", ")} from the environment, which a manifest can't: their values would stand in the file`,
    hint: "Write the values into the k-eval file, or use it as it is: a manifest with `uses:` this file.",
  }),
  k_eval_key_unknown: ({
    key,
    suggestion,
  }: {
    key: string;
    suggestion: string | undefined;
  }): Said => ({
    message: `k-eval knows no \`${key}\` here, and ignores it`,
    hint: suggestion === undefined ? page : `Did you mean ${suggestion}?`,
  }),
  k_eval_server_unknown: ({
    server,
    known,
  }: {
    server: string;
    known: readonly string[];
  }): Said => ({
    message: `found the server ${JSON.stringify(server)}, which \`mcp_servers\` does not have`,
    hint:
      known.length === 0
        ? "`mcp_servers` has none: describe the server there."
        : `There are ${known.join(", ")}.`,
  }),
  k_eval_agent_unknown: (): Said => ({
    message: "`agent.type` must be claude_code_sdk, the one agent that k-eval has",
    hint: "For another agent write a manifest with `uses:` this file and `candidates` of your own.",
  }),
  k_eval_judge_unknown: ({ known }: { known: readonly string[] }): Said => ({
    message: "`judge.model` names a provider that Regrade does not know by LiteLLM's name",
    hint: `Known are ${known.join(", ")}. Others: a manifest with \`uses:\` this file, \`providers\` and \`run.judge_model\` of its own.`,
  }),
  k_eval_judge_route: ({ model }: { model: string }): Said => ({
    message: `the judge on Vertex AI is asked as ${model}, the same model at its maker's own API`,
    hint: "It needs that provider's key. For another way write a manifest with `uses:` this file, `providers` and `run.judge_model`.",
  }),
  k_eval_condition_name: ({ name, taken }: { name: string; taken: boolean }): Said => ({
    message: taken
      ? `two conditions become the candidate ${JSON.stringify(name)}`
      : `the condition ${JSON.stringify(name)} has no letter or digit to name a candidate by`,
    hint: "A candidate's name has letters, digits and _ . : @ / -; all else becomes -.",
  }),
  k_eval_dataset_missing: ({ path }: { path: string }): Said => ({
    message: `there is no file ${JSON.stringify(path)}, seen from this file's folder or from the repository's`,
    hint: "Correct `dataset.path`.",
  }),
  k_eval_row: ({ line, reason }: { line: number; reason: string }): Said => ({
    message: `line ${line} of the dataset ${reason}`,
    hint: "Each line is a JSON object with the keys that `question_key` and `answer_key` name.",
  }),
};
