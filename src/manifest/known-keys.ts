/** Names that other tools and providers give to a key of ours. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  candidates: ["candidate", "model", "provider", "targets"],
  dataset: ["data", "tests", "cases", "samples", "data_file", "dataset_path"],
  grader: ["evaluator", "scorer", "assert", "metric_fn"],
  max_output_tokens: ["max_tokens", "max_completion_tokens", "max_new_tokens"],
  max_retries: ["retries", "num_retries"],
  timeout_seconds: ["timeout", "request_timeout"],
  instructions: ["system", "system_prompt", "system_message"],
  stop: ["stop_sequences"],
  concurrency: ["max_concurrency", "num_workers", "parallelism"],
  max_samples: ["limit", "num_records", "sample_size"],
  output_extraction: ["extraction", "extract", "filter_list"],
  prompt_template: ["prompt", "prompts", "doc_to_text", "input_template"],
  target_template: ["target", "expected", "doc_to_target", "answer_template"],
  repeats: ["repetitions", "trials", "num_runs", "epochs"],
  choices: ["doc_to_choice"],
};

/** The sections of a manifest whose keys are often written one level too high, or too low. */
const sections: Readonly<Record<string, readonly string[]>> = {
  run: ["judge_model", "embedding_model", "generation", "concurrency", "max_samples", "budget"],
  "run.budget": ["usd", "tokens", "minutes"],
  "run.generation": [
    "instructions",
    "temperature",
    "top_p",
    "max_output_tokens",
    "max_retries",
    "max_empty_retries",
    "timeout_seconds",
  ],
  gate: ["max_drop", "alpha", "max_error_rate", "confirm", "min_paired", "rules", "baseline"],
  "gate.baseline": ["max_age_days"],
  output_extraction: ["pattern", "labels", "case_sensitive"],
};

/** Our key of the same meaning, where it is allowed at this place. */
export function sameMeaning(key: string, allowed: readonly string[]): string | undefined {
  return allowed.find((each) => otherNames[each]?.includes(key));
}

/** The section that a key belongs to, by its own name or another tool's: `run.judge_model`. */
export function belongsTo(key: string): string | undefined {
  for (const [section, keys] of Object.entries(sections)) {
    const name = keys.includes(key) ? key : sameMeaning(key, keys);
    if (name !== undefined) return `${section}.${name}`;
  }
  return undefined;
}
