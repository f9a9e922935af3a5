import type { JsonObject } from "../../model/json.ts";
import type { Run } from "../../model/outcomes/run.ts";
import { samplesByCase } from "./case-groups.ts";
import type { ExportedFile, ExportedRun } from "./exported.ts";
import { pairwiseIn, type Pair, passRate, skillImpact, skillPairs } from "./waza-impact.ts";
import { foreignText, gradersIn, isGroupedByModel, isTriggerTask, setupIn } from "./waza-parts.ts";
import { outcomeText, taskText } from "./waza-outcome.ts";
import { createScale, type Reading, taskOf } from "./waza-task.ts";
import {
  interpretation,
  wazaComment,
  wazaJunit,
  type WazaOutcome,
  type WazaTaskText,
} from "./waza-texts.ts";
import { createTotal } from "./waza-total.ts";
import { accuracyMetric, triggerPart } from "./waza-triggers.ts";

/**
 * Writes a run as waza's `results.json`: one file for each task and candidate, as waza has one for each eval and model.
 * A candidate that lacks another one's skills is part of that one's file. The other files have waza's texts of the same
 * outcome: JUnit XML, a comment, and the interpretation. They are made while `results.json` is written, so each file
 * must be read to its end before the next one.
 */
export async function* wazaFiles({ run, samples }: ExportedRun): AsyncGenerator<ExportedFile> {
  const tasks = Object.keys(run.suite.tasks).filter((task) => !isTriggerTask(run, task));
  const pairs = skillPairs(run);
  const candidates = run.candidates
    .map(({ id }) => id)
    .filter((id) => !pairs.some(({ without }) => without === id));
  const isOne = tasks.length === 1 && candidates.length === 1;
  for (const task of tasks)
    for (const candidate of candidates) {
      const words = [task, candidate].map((word) => word.replaceAll(/[^A-Za-z0-9_.-]+/g, "_"));
      const pair = pairs.find(({ withSkills }) => withSkills === candidate);
      const name = isOne ? "results" : `results_${words.join("_")}`;
      const shown: Shown = { tasks: [], outcome: undefined };
      const pieces = fileOf({ run, samples, task, candidate, pair, shown });
      yield { name: `${name}.json`, pieces };
      const { outcome } = shown;
      if (outcome === undefined) continue;
      yield { name: `${name}.xml`, pieces: inPieces(wazaJunit(outcome)) };
      yield { name: `${name}.md`, pieces: inPieces(wazaComment(outcome)) };
      yield { name: `${name}.txt`, pieces: inPieces(interpretation(outcome)) };
    }
}

async function* inPieces(texts: Iterable<string>): AsyncGenerator<string> {
  yield* texts;
}

/** Content of the JUnit file, the comment and the interpretation, collected while an outcome is written. */
interface Shown {
  readonly tasks: WazaTaskText[];
  outcome: WazaOutcome | undefined;
}

interface FileContext extends ExportedRun {
  readonly task: string;
  readonly candidate: string;
  /** undefined if no other candidate differs only in its skills. */
  readonly pair: Pair | undefined;
  /** undefined if the outcome is part of another one. */
  readonly shown: Shown | undefined;
}

async function* fileOf(context: FileContext): AsyncGenerator<string> {
  const { run, samples, candidate, pair } = context;
  const before = pair === undefined ? undefined : await withoutSkills(context, pair);
  const hasTriggers = Object.keys(run.suite.tasks).some((each) => isTriggerTask(run, each));
  const triggers = hasTriggers ? await triggerPart(samples(), candidate) : {};
  const tail = { ...triggers, ...(pair !== undefined && { is_baseline: true }) };
  yield* outcomeOf(context, { before, tail, metrics: accuracyMetric(run, triggers) });
  if (pair === undefined) return yield "\n}\n";
  yield ',\n  "baseline_outcome": ';
  yield* outcomeOf(
    { ...context, candidate: pair.without, shown: undefined },
    { before: undefined, tail: {}, metrics: {} },
  );
  yield "\n}\n}\n";
}

/** The agent's result without the skills. */
interface Before {
  readonly successRate: number;
  /** The share of each task's runs that passed. */
  readonly rates: ReadonlyMap<string, number>;
}

async function withoutSkills(context: FileContext, { without }: Pair): Promise<Before> {
  const { run, samples, task } = context;
  const place = { task, candidate: without };
  const reading = readingOf(run, place);
  const rates = new Map<string, number>();
  let passed = 0;
  for await (const each of samplesByCase({ run, samples: samples() }, place)) {
    const { id, isPassed, statuses } = taskOf(each, reading);
    rates.set(id, passRate(statuses));
    if (isPassed) passed += 1;
  }
  return { successRate: rates.size === 0 ? 0 : passed / rates.size, rates };
}

function readingOf(
  run: Run,
  place: { readonly task: string; readonly candidate: string },
): Reading {
  return {
    scale: createScale(run.metrics, place),
    graders: gradersIn(run),
    group: isGroupedByModel(run) ? modelOf(run, place.candidate) : undefined,
    attempts: setupIn(run).attempts,
  };
}

function modelOf(run: Run, candidate: string): string {
  return run.candidates.find(({ id }) => id === candidate)?.model ?? candidate;
}

/** Parts of an outcome that don't belong to its tasks. */
interface Around {
  readonly before: Before | undefined;
  readonly tail: JsonObject;
  readonly metrics: JsonObject;
}

/** Writes an outcome without its last bracket. */
async function* outcomeOf(
  { run, samples, task, candidate, pair, shown }: FileContext,
  { before, tail, metrics }: Around,
): AsyncGenerator<string> {
  yield `${JSON.stringify({ ...headOf(run, task), metrics }, null, 2).slice(0, -2)},\n  "tasks": [`;
  const total = createTotal();
  const reading = readingOf(run, { task, candidate });
  let separator = "\n";
  for await (const group of samplesByCase({ run, samples: samples() }, { task, candidate })) {
    const outcome = taskOf(group, reading);
    total.add(outcome, group);
    shown?.tasks.push(taskText(outcome.json));
    const rate = before?.rates.get(outcome.id);
    const impact =
      rate === undefined
        ? {}
        : {
            skill_impact: skillImpact(
              { withSkills: passRate(outcome.statuses), without: rate },
              pairwiseIn(group),
            ),
          };
    yield `${separator}${JSON.stringify({ ...outcome.json, ...impact })}`;
    separator = ",\n";
  }
  const { engine, seconds, attempts } = setupIn(run);
  const setup = {
    runs_per_test: attempts > 1 ? 1 : total.trials(),
    model_id: modelOf(run, pair?.withSkills ?? candidate),
    engine_type: engine,
    timeout_sec: seconds,
  };
  const rest = { config: setup, summary: total.summary(before?.successRate), ...tail };
  if (shown !== undefined)
    shown.outcome = outcomeText({ ...headOf(run, task), ...rest }, shown.tasks);
  yield `\n  ],\n${JSON.stringify(rest, null, 2).slice(2, -2)}`;
}

function headOf(run: Run, task: string): JsonObject {
  return {
    schemaVersion: "1.0",
    eval_id: run.id,
    skill: foreignText(run, "skill") ?? run.suite.name,
    eval_name: foreignText(run, "eval_name") ?? task,
    timestamp: run.completed_at,
  };
}
