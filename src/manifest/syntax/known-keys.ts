/** Names that other tools and providers give to one of our keys. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  candidates: ["candidate", "model", "provider", "targets"],
  dataset: ["data", "tests", "cases", "samples", "data_file", "dataset_path"],
  grader: ["evaluator", "scorer", "assert", "metric_fn"],
  max_output_tokens: [
    "max_tokens",
    "max_completion_tokens",
    "max_new_tokens",
    "max_tokens_to_sample",
    "maxOutputTokens",
    "num_predict",
  ],
  max_retries: ["retries", "num_retries"],
  timeout_seconds: ["timeout", "request_timeout"],
  instructions: ["system", "system_prompt", "system_message"],
  system_prompt: ["instructions", "system", "system_message"],
  stop: ["stop_sequences", "stopSequences"],
  concurrency: ["max_concurrency", "num_workers", "parallelism"],
  max_samples: ["limit", "num_records", "sample_size"],
  output_extraction: ["extraction", "extract", "filter_list"],
  prompt_template: ["prompt", "prompts", "doc_to_text", "input_template"],
  target_template: ["target", "expected", "doc_to_target", "answer_template"],
  repeats: ["repetitions", "trials", "num_runs", "epochs"],
  choices: ["doc_to_choice"],
};

/** The sections of a manifest whose keys are often written one level too high or too low. */
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

/** Settings of other APIs that are written differently here; those in `extra` go to compatible providers unchanged. */
const otherSettings: Readonly<Record<string, readonly string[]>> = {
  "reasoning: { effort: … }": ["reasoning_effort", "effort"],
  "text: { verbosity: … }": ["verbosity"],
  "text: { format: … }": ["response_format", "json_schema", "json_mode"],
  repeats: ["n", "best_of", "candidateCount", "candidate_count", "num_return_sequences"],
};
const extra =
  "seed random_seed logprobs top_logprobs logit_bias thinking thinkingConfig safe_prompt safetySettings user num_ctx mirostat typical_p".split(
    " ",
  );
const ofRules = ["min", "max", "max_rise", "must_pass", "prove", "level", "metric"];

/** How to write something that is no key here under any name: a setting of an API, a rule, a task's own key. */
export function otherForm(key: string, allowed: readonly string[]): string | undefined {
  const has = (each: string): boolean => allowed.includes(each);
  const form = has("temperature") ? formOfSetting(key) : undefined;
  if (form !== undefined) return form;
  if ((has("rules") || has("gate")) && ofRules.includes(key))
    return `\`gate: { rules: [{ metric: …, ${key === "metric" ? "min" : key}: … }] }\``;
  const isSection = has("rules") || has("judge_model");
  return isSection && !has("gate") ? formBesideSections(key) : undefined;
}

function formOfSetting(key: string): string | undefined {
  const form = Object.entries(otherSettings).find(([, keys]) => keys.includes(key))?.[0];
  if (form === "repeats") return "`repeats` of the task";
  if (form !== undefined) return `\`${form}\``;
  return extra.includes(key)
    ? `\`extra_body: { ${key}: … }\`, which OpenAI and Azure don't get`
    : undefined;
}

/** The right place of a key that was written in `run` or `gate` and belongs beside them. */
function formBesideSections(key: string): string | undefined {
  if (["models", "model", "candidates"].includes(key)) return "`candidates`, beside `run`";
  return key === "repeats" ? "`repeats` of the task" : undefined;
}
