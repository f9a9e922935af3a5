import type { Translated } from "../../base/foreign.ts";
import { at, fieldsOf, isPresent, itemsOf, type Part, placeOf, textOf } from "../../base/part.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { type Place, type Problem, problem } from "../../model/refusal.ts";
import type { DialectTools } from "../dialect.ts";
import { documentOf, type Traced, traced, tracedFields, tracedList } from "../origin.ts";
import {
  readConfig,
  refuseRootKeys,
  tellIdleKeys,
  tellMetrics,
  type WazaConfig,
} from "./config.ts";
import { aboutOf } from "./about.ts";
import { readCsvTasks } from "./csv.ts";
import { eraNames, eraOf } from "./era.ts";
import { refuseValue, isGiven, mappingOf, scalarText, type WazaEval } from "./eval.ts";
import type { WithAndWithout } from "./executor.ts";
import { tellExpected } from "./expected.ts";
import { metricName, readGraders, refuseSameNames, type WazaCheck } from "./graders.ts";
import { readTriggers, triggerThreshold } from "./triggers.ts";
import { openTaskFiles, readWazaTask, type WazaTask } from "./tasks.ts";

const knownKeys = [
  "name",
  "description",
  "skill",
  "version",
  "config",
  "hooks",
  "inputs",
  "tasks_from",
  "range",
  "graders",
  "metrics",
  "tasks",
  "baseline",
  "schemaVersion",
  "scenario",
  "mcp_mocks",
  "command_mocks",
];

/**
 * Translates an eval file of waza to a manifest: each of its tasks is a case, and its graders are checks that the cases
 * carry.
 */
export async function translateWaza(root: Part, tools: DialectTools): Promise<Translated> {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const refuse = (found: Problem): undefined => void problems.push(found);
  const taskFiles = isGiven(at(root, "tasks_from"))
    ? []
    : await openTaskFiles({ root, tools, refuse });
  const { era, why } = eraOf(root, taskFiles);
  const file: WazaEval = { root, tools, era, refuse, warn: (found) => void warnings.push(found) };
  if (why !== undefined) file.warn(problem("waza_era", { era: eraNames[era], why }, placeOf(root)));
  const { document, about } = await readDocument(file, taskFiles);
  if (problems.length > 0) return { kind: "refused", problems };
  return { kind: "translated", ...documentOf(document), about, hidden: [], warnings };
}

async function readDocument(
  opened: WazaEval,
  taskFiles: readonly Part[],
): Promise<{ readonly document: Traced; readonly about: JsonObject }> {
  const { root } = opened;
  mappingOf(root, { known: knownKeys, what: "an eval file of waza" }, opened);
  refuseRootKeys(opened);
  tellMetrics(opened);
  tellIdleKeys(opened);
  const config = await readConfig(opened);
  const file: WazaEval = { ...opened, baseline: config.executor.compared?.without };
  const shared = await readGraders(at(root, "graders"), file);
  refuseSameNames(shared, [], file);
  const tasks = await readTasks(taskFiles, file);
  for (const task of tasks) checkTask(task, shared, file);
  const place = placeOf(root);
  const name = scalarText(at(root, "name"), file) ?? "";
  for (const key of ["description", "skill", "version"]) scalarText(at(root, key), file);
  const graders = tracedFields(
    {
      type: traced("row_checks", place),
      field: traced("checks", place),
      also: tracedList(shared.map(checkTraced), placeOf(at(root, "graders"))),
      ...judgesOf(shared, tasks, place),
    },
    placeOf(at(root, "graders")),
  );
  const task = {
    dataset: tracedFields({ rows: tracedList(rowsOf(tasks, file), place) }, place),
    prompt_template: traced("{{prompt}}", place),
    grader: graders,
    repeats: traced(Math.max(config.trials, config.attempts), placeOf(at(root, "config"))),
    metrics: traced(metricsOf(config, shared), place),
  };
  const triggers = await readTriggers(file);
  const id = slug(name);
  const document = tracedFields(
    {
      name: traced(id, placeOf(at(root, "name"))),
      ...(triggers === undefined ? task : { tasks: bothTasks({ id, task, triggers }, place) }),
      candidates: config.executor.candidates,
      run: config.run,
      gate: traced(gateOf({ file, triggers, compared: config.executor.compared }), place),
    },
    place,
  );
  return { document, about: aboutOf(file, { shared, tasks, config }) };
}

const callsOfJudge = 8;

/** Settings for judges: the largest number of judge calls for one task, and the models in use. */
function judgesOf(
  shared: readonly WazaCheck[],
  tasks: readonly WazaTask[],
  place: Place,
): Readonly<Record<string, Traced>> {
  const own = tasks.map(({ checks }) => judgesAmong(checks));
  const most = Math.max(0, ...own.map(({ length }) => length)) + judgesAmong(shared).length;
  if (most === 0) return {};
  const models = [...judgesAmong(shared), ...own.flat()].flatMap(({ check: { model } }) =>
    typeof model === "string" ? [model] : [],
  );
  return {
    judge_calls: traced(most * callsOfJudge, place),
    judge_models: traced([...new Set(models)], place),
  };
}

function judgesAmong(checks: readonly WazaCheck[]): readonly WazaCheck[] {
  return checks.filter(({ check }) => check["type"] === "judge_calls");
}

function bothTasks(
  {
    id,
    task,
    triggers,
  }: {
    readonly id: string;
    readonly task: Readonly<Record<string, Traced>>;
    readonly triggers: Traced;
  },
  place: Place,
): Traced {
  const name = id === "trigger" ? "tasks" : id;
  return tracedList([tracedFields({ id: traced(name, place), ...task }, place), triggers], place);
}

/**
 * The gate's rules. Without an earlier run every task must pass, as in waza; with `baseline: true` the skills' benefit
 * is judged within the run instead. The accuracy of trigger tests must reach its threshold in any case.
 */
function gateOf({
  file,
  triggers,
  compared,
}: {
  readonly file: WazaEval;
  readonly triggers: Traced | undefined;
  readonly compared: WithAndWithout | undefined;
}): Json {
  const least = triggerThreshold(file);
  if (least !== undefined && triggers === undefined)
    refuseValue(
      at(file.root, "metrics"),
      "without a threshold for trigger_accuracy, or trigger_tests.yaml must be beside this file: nothing measures it",
      file,
    );
  const own = compared === undefined ? {} : { candidate: compared.withSkills };
  const accuracy =
    triggers === undefined || least === undefined
      ? []
      : [{ metric: "trigger/accuracy", min: least, ...own }];
  const whole =
    compared === undefined
      ? [{ metric: "passed", min: 1, without_baseline: true }]
      : [ruleAgainst("score", compared), ruleAgainst("passed", compared)];
  return { max_drop: 0.02, rules: [...whole, ...accuracy] };
}

function ruleAgainst(metric: string, { withSkills, without }: WithAndWithout): Json {
  return { metric, max_drop: 0, candidate: withSkills, against: without };
}

/**
 * Metrics of the suite. A task passes if all of its trials do, or one of its attempts. Graders that apply to all tasks
 * are separate metrics.
 */
function metricsOf({ trials, attempts }: WazaConfig, shared: readonly WazaCheck[]): Json {
  const all = trials > 1 ? { reducer: `pass^${trials}` } : {};
  const reducer = attempts > 1 ? { reducer: `pass@${attempts}` } : all;
  const own = shared.map(({ wazaName }) => ({ id: metricName(wazaName), range: [0, 1] }));
  return [{ id: "score" }, { id: "passed", ...reducer }, ...own];
}

async function readTasks(taskFiles: readonly Part[], file: WazaEval): Promise<readonly WazaTask[]> {
  const { root, refuse } = file;
  const list = at(root, "tasks");
  if (isGiven(at(root, "tasks_from"))) return readCsvTasks(file);
  if (!Array.isArray(list.value)) refuseValue(list, "a list of patterns for task files", file);
  for (const item of itemsOf(list))
    if (textOf(item) === undefined)
      refuseValue(
        item,
        "a path or a pattern of task files: waza takes no tasks that stand in the eval file",
        file,
      );
  tellExpected(taskFiles, file);
  const tasks: WazaTask[] = [];
  for (const [index, part] of taskFiles.entries()) {
    const task = await readWazaTask(part, { index, file });
    if (task !== undefined) tasks.push(task);
  }
  const isEmpty = Array.isArray(list.value) && list.value.length === 0;
  if (tasks.length === 0 && (taskFiles.length > 0 || isEmpty))
    refuse(problem("waza_tasks_none", undefined, placeOf(list)));
  return tasks;
}

/** Refuses a task without checks, because it would pass whatever the answer is. */
function checkTask(task: WazaTask, shared: readonly WazaCheck[], file: WazaEval): void {
  refuseSameNames(task.checks, shared, file);
  if (task.checks.length + shared.length === 0)
    file.refuse(problem("waza_task_ungraded", { task: task.id }, placeOf(task.part)));
}

/** Turns tasks into rows; a further task with the same id gets a number at its end. */
function rowsOf(tasks: readonly WazaTask[], file: WazaEval): readonly Traced[] {
  const taken = new Set<string>();
  return tasks.map((task) => {
    const id = freeId(task, taken);
    if (id !== task.id)
      file.warn(problem("waza_task_twice", { id: task.id, renamed: id }, placeOf(task.part)));
    return rowOf(task, id);
  });
}

function freeId({ id }: WazaTask, taken: Set<string>): string {
  let found = id;
  for (let count = 2; taken.has(found); count += 1) found = `${id}-${count}`;
  taken.add(found);
  return found;
}

function rowOf(task: WazaTask, id: string): Traced {
  const { name, prompt, files, context, checks, tags, part } = task;
  const place = placeOf(part);
  const count = files.length;
  return tracedFields(
    {
      id: traced(id, place),
      name: traced(name, place),
      prompt: traced(prompt, place),
      context: context === undefined ? undefined : traced(context, place),
      tags: tags.length === 0 ? undefined : traced(tags, place),
      mock_files: traced(count === 0 ? "" : `\nAnalyzed ${count} file(s)`, place),
      files:
        count === 0
          ? undefined
          : traced(
              files.map(({ path, content }) => ({ path, content })),
              place,
            ),
      checks: tracedList(checks.map(checkTraced), place),
    },
    place,
  );
}

function checkTraced({ check, part }: WazaCheck): Traced {
  return traced(check, placeOf(part));
}

function slug(name: string): string {
  const text = name.replaceAll(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return text.slice(0, 100).replace(/-+$/, "") || "waza";
}

/** True if a file is an eval file of waza. */
export function isWaza(root: Part): boolean {
  const config = at(root, "config");
  const runs = ["trials_per_task", "executor"].some((key) => isPresent(at(config, key)));
  // A file with these keys also counts if its `config` is misspelt.
  const hasSkill = isPresent(at(root, "skill")) && isPresent(at(root, "tasks"));
  const isOurs = [root, ...itemsOf(at(root, "tasks"))].some((each) =>
    isPresent(at(each, "dataset")),
  );
  return (runs || hasSkill) && !isOurs;
}

/** True for a file of Vally, which also calls its file eval.yaml. */
export function isVally(root: Part): boolean {
  const known = ["stimuli"].some((key) => isPresent(at(root, key)));
  return known && !isPresent(at(root, "dataset")) && fieldsOf(root).length > 0;
}

/** Refuses a file of Vally, which is another tool. */
export async function refuseVally(root: Part): Promise<Translated> {
  return {
    kind: "refused",
    problems: [problem("waza_vally", undefined, placeOf(at(root, "stimuli")))],
  };
}
