import { join } from "node:path";
import { ownValue } from "../../model/own-value.ts";
import { at, itemsOf, numberOf, type Part, placeOf, textOf } from "../../base/part.ts";
import type { JsonObject } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import { type Traced, traced, tracedFields, tracedList } from "../origin.ts";
import {
  fullScalar,
  isGiven,
  mappingList,
  mappingOf,
  optionalText,
  refuseValue,
  tellIdle,
  type WazaEval,
} from "./eval.ts";
import { shownPath } from "./paths.ts";

/** Translates the trigger tests beside an eval file to a task; undefined if there are none. */
export async function readTriggers(file: WazaEval): Promise<Traced | undefined> {
  const root = await openTriggers(file);
  if (root === undefined) return undefined;
  const known = ["skill", "should_trigger_prompts", "should_not_trigger_prompts"];
  mappingOf(root, { known, what: "trigger_tests.yaml" }, file);
  const skill = fullScalar(at(root, "skill"), file) ?? "";
  const rows = [
    ...promptsOf(at(root, "should_trigger_prompts"), { isFor: true, skill }, file),
    ...promptsOf(at(root, "should_not_trigger_prompts"), { isFor: false, skill }, file),
  ];
  const place = placeOf(root);
  if (
    textOf(at(at(file.root, "config"), "executor")) === "mock" &&
    file.tools.ownKeys === undefined
  )
    tellIdle(
      at(root, "skill"),
      "with executor: mock every prompt does what is expected of it, as in waza",
      file,
    );
  if (rows.length === 0)
    refuseValue(
      at(root, "should_trigger_prompts"),
      "a list of prompts: without any nothing is tested",
      file,
    );
  return tracedFields(
    {
      id: traced("trigger", place),
      // Prompts have no ids; they are identified by their text.
      dataset: tracedFields(
        { rows: tracedList(rows, place), id_field: traced(null, place) },
        place,
      ),
      prompt_template: traced("{{prompt}}", place),
      grader: traced(
        { type: "triggers", skill, weight_field: "weight" },
        placeOf(at(root, "skill")),
      ),
      metrics: traced(metrics, place),
    },
    place,
  );
}

const metrics = [{ id: "accuracy" }, { id: "precision" }, { id: "recall" }, { id: "f1" }];

async function openTriggers(file: WazaEval): Promise<Part | undefined> {
  const { tools, root, refuse } = file;
  const absolute = join(tools.directory, "trigger_tests.yaml");
  if (!(await tools.isThere(absolute))) return undefined;
  const shown = shownPath(absolute, root, tools.directory);
  const text = await tools.readText(absolute);
  const parsed = text === undefined ? undefined : tools.parse(text, shown);
  if (parsed !== undefined) return { value: parsed.value, path: [], locate: parsed.locate };
  return refuse(
    problem("waza_file_unusable", { path: shown, reason: "it is no YAML" }, { file: shown }),
  );
}

const weights: Readonly<Record<string, number>> = { "": 1, high: 1, medium: 0.5 };

function promptsOf(
  list: Part,
  { isFor, skill }: { readonly isFor: boolean; readonly skill: string },
  file: WazaEval,
): readonly Traced[] {
  return mappingList(list, file).map((part) => {
    mappingOf(
      part,
      { known: ["prompt", "reason", "confidence"], what: "a prompt of trigger_tests.yaml" },
      file,
    );
    const confidence = at(part, "confidence");
    const named = optionalText(confidence, file) ?? "";
    const weight = ownValue(weights, named);
    if (weight === undefined) refuseValue(confidence, "high or medium", file);
    const place = placeOf(part);
    return tracedFields(
      {
        prompt: traced(fullScalar(at(part, "prompt"), file) ?? "", place),
        should_trigger: traced(isFor, place),
        weight: traced(weight ?? 1, place),
        // waza's mock agent does what each test expects.
        mock_files: traced("", place),
        mock_steps: traced(isFor ? [{ type: "skill", name: skill }] : [], place),
      },
      place,
    );
  });
}

/** The lowest accuracy that `metrics` requires; undefined if it is 0 or missing. */
export function triggerThreshold(file: WazaEval): number | undefined {
  for (const metric of itemsOf(at(file.root, "metrics"))) {
    if (textOf(at(metric, "name")) !== "trigger_accuracy") continue;
    const threshold = at(metric, "threshold");
    const number = numberOf(threshold);
    if (isGiven(threshold) && number === undefined)
      refuseValue(threshold, "a number from 0 to 1", file);
    if (number !== undefined && number > 1) refuseValue(threshold, "a number from 0 to 1", file);
    return number !== undefined && number > 0 && number <= 1 ? number : undefined;
  }
  return undefined;
}

/** The metric as it is written, for a report in waza's format. */
export function triggerMetric({ root }: WazaEval): JsonObject | undefined {
  const metric = itemsOf(at(root, "metrics")).find(
    (each) => textOf(at(each, "name")) === "trigger_accuracy",
  );
  if (metric === undefined) return undefined;
  const [threshold, weight] = [at(metric, "threshold"), at(metric, "weight")].map(numberOf);
  return { threshold: threshold ?? 0, weight: weight ?? 0 };
}
