import { at, isPresent, type Part, placeOf, textOf } from "../../base/part.ts";
import type { Translated } from "../../base/foreign.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { type Problem, problem } from "../../model/refusal.ts";
import type { HiddenText } from "../../model/ports/secrets.ts";
import type { DialectTools } from "../dialect.ts";
import { documentOf, type Traced, traced, tracedFields } from "../origin.ts";
import { type Condition, readConditions, readServers } from "./conditions.ts";
import {
  hideValues,
  type KEvalConfig,
  mapping,
  neededNumber,
  requiredText,
  requiredWithNames,
  refuseMissing,
  shownFor,
} from "./config.ts";
import { type Questions, readQuestions } from "./dataset.ts";
import { judgeModelOf } from "./judge-model.ts";

const knownKeys = [
  "name",
  "version",
  "dataset",
  "agent",
  "judge",
  "mcp_servers",
  "conditions",
  "execution",
];

/**
 * Translates a config file of k-eval to a manifest: each condition is a candidate, and all are compared on the same
 * questions.
 */
export async function translateKEval(root: Part, tools: DialectTools): Promise<Translated> {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const hidden: HiddenText[] = [];
  const config: KEvalConfig = {
    root,
    tools,
    refuse: (found) => void problems.push(found),
    warn: (found) => void warnings.push(found),
    hide: (found) => void (found.text !== "" && hidden.push(found)),
  };
  refuseMissing(config);
  if (problems.length > 0) return { kind: "refused", problems };
  mapping(root, knownKeys, config);
  const questions = await readQuestions(config);
  const document = readDocument(config, questions);
  if (problems.length > 0) return { kind: "refused", problems };
  return {
    kind: "translated",
    ...documentOf(document),
    about: aboutOf(root, questions),
    hidden,
    warnings,
  };
}

/** The file as written, with the names of its variables. It tells runs of different configs apart. */
function aboutOf({ value }: Part, { sha256 }: Questions): JsonObject {
  return { tool: "k-eval", config: value ?? null, dataset_sha256: sha256 ?? null };
}

const scales = ["factual_adherence", "completeness", "helpfulness_and_clarity"] as const;

function readDocument(config: KEvalConfig, questions: Questions): Traced {
  const { root } = config;
  const name = requiredWithNames(root, "name", config) ?? "";
  requiredText(root, "version", config);
  const model = readAgent(config);
  const { grader, judge } = readJudge(config);
  const { repeats, concurrency, retries } = readExecution(config);
  const servers = readServers(config);
  const conditions = readConditions({ servers, model, retries }, config);
  const place = placeOf(at(root, "execution"));
  return tracedFields(
    {
      name: traced(slug(name.replaceAll("{{env.", "")), placeOf(at(root, "name"))),
      dataset: questions.dataset,
      prompt_template: questions.prompt,
      target_template: questions.target,
      grader,
      repeats: repeats === undefined ? undefined : traced(repeats, place),
      candidates: tracedFields(
        Object.fromEntries(conditions.map((each) => [each.name, each.candidate])),
        placeOf(at(root, "conditions")),
      ),
      run: tracedFields(
        {
          judge_model: judge,
          concurrency: concurrency === undefined ? undefined : traced(concurrency, place),
        },
        placeOf(at(root, "judge")),
      ),
      gate: traced(gateOf(conditions), placeOf(at(root, "conditions"))),
    },
    placeOf(root),
  );
}

function slug(name: string): string {
  const text = name.replaceAll(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return text.slice(0, 100).replace(/-+$/, "") || "k-eval";
}

function readAgent(config: KEvalConfig): Traced | undefined {
  const part = mapping(at(config.root, "agent"), ["type", "model"], config);
  const type = requiredText(part, "type", config);
  if (type !== undefined && type !== "claude_code_sdk")
    config.refuse(problem("k_eval_agent_unknown", undefined, placeOf(at(part, "type"))));
  const model = requiredWithNames(part, "model", config);
  return model === undefined ? undefined : traced(model, placeOf(at(part, "model")));
}

/** The judge, which reads the question, the golden answer and the unchanged answer. */
function readJudge(config: KEvalConfig): {
  readonly grader: Traced;
  readonly judge: Traced | undefined;
} {
  const part = mapping(at(config.root, "judge"), ["model", "temperature"], config);
  const bounds = { least: 0, whole: false };
  const temperature = neededNumber(part, "temperature", { bounds, config });
  const named = requiredText(part, "model", config);
  const model = named === undefined ? undefined : judgeModelOf(named, at(part, "model"), config);
  const written = textOf(at(part, "model")) ?? "";
  hideValues(written, config);
  // LiteLLM's provider names differ from ours, so the rest of the model's name, which the variable's value contains, is
  // hidden, too.
  const shown = shownFor(written);
  const own = model?.slice(model.indexOf(":") + 1);
  if (shown !== "" && own !== undefined) config.hide({ text: own, shown });
  const options: Json = {
    type: "judge",
    scales: [...scales],
    answer: "whole",
    temperature: temperature ?? 0,
  };
  return {
    grader: traced(options, placeOf(part)),
    judge: model === undefined ? undefined : traced(model, placeOf(at(part, "model"))),
  };
}

const mostConcurrent = 25;

function readExecution(config: KEvalConfig): {
  readonly repeats: number | undefined;
  readonly concurrency: number | undefined;
  readonly retries: number | undefined;
} {
  const keys = ["num_repetitions", "max_concurrent", "retry"];
  const part = mapping(at(config.root, "execution"), keys, config);
  const count = (from: Part, key: string, least: number): number | undefined =>
    neededNumber(from, key, { bounds: { least, whole: true }, config });
  const repeats = count(part, "num_repetitions", 1);
  const concurrent = count(part, "max_concurrent", 1);
  const retry = at(part, "retry");
  if (!isPresent(retry)) return { repeats, concurrency: capped(concurrent), retries: undefined };
  mapping(retry, ["max_attempts", "initial_backoff_seconds", "backoff_multiplier"], config);
  const attempts = count(retry, "max_attempts", 1);
  // These are checked like k-eval does, but Regrade uses its own pauses, which follow the server's requests.
  count(retry, "initial_backoff_seconds", 0);
  count(retry, "backoff_multiplier", 1);
  const retries = attempts === undefined ? undefined : Math.min(attempts - 1, 10);
  return { repeats, concurrency: capped(concurrent), retries };
}

function capped(concurrent: number | undefined): number | undefined {
  return concurrent === undefined ? undefined : Math.min(concurrent, mostConcurrent);
}

/**
 * Rules that compare each condition with the one without servers, else with the first. They are reported and never
 * block.
 */
function gateOf(conditions: readonly Condition[]): Json {
  const base = conditions.find(({ hasServers }) => !hasServers) ?? conditions[0];
  const others = conditions.filter(({ name }) => name !== base?.name);
  if (base === undefined || others.length === 0)
    return { rules: scales.map((metric) => ({ metric, max_drop: 0, level: "info" })) };
  const rules = others.flatMap(({ name: candidate }) =>
    scales.map((metric) => ({
      metric,
      candidate,
      against: base.name,
      max_drop: 0,
      level: "info",
    })),
  );
  return { rules };
}

/** True if a file is a config of k-eval. */
export function isKEval(root: Part): boolean {
  const has = (key: string): boolean => isPresent(at(root, key));
  return has("conditions") && has("agent") && has("judge") && textOf(root) === undefined;
}
