import { openCandidate } from "../../candidate/open.ts";
import {
  candidateKinds,
  isPrepared,
  type CandidateKind,
} from "../../model/definition/candidate-kinds.ts";
import type { Candidate } from "../../model/models/candidate.ts";
import { formatProblem, Refusal, type Problem } from "../../model/refusal.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { Suite } from "../../model/definition/suite.ts";
import type { CandidateSpec, Generation } from "../../model/definition/candidate-spec.ts";
import { budgetProblems } from "../../suite/budget-problems.ts";
import type { PreparedTask } from "../../suite/opening/open-task.ts";
import type { Prepared } from "../../suite/prepare.ts";
import { runSetups } from "../rerun/setup.ts";
import type { BaseSuite } from "../rerun/base-suite.ts";
import { dataOf } from "../../suite/withheld.ts";
import type { Tools } from "../../tools.ts";
import type { BaseTrees } from "./base-trees.ts";
import { askAsRecorded, askAsTemplate, type PromptSource, type PromptsWanted } from "./prompts.ts";
import { findProvider } from "./provider.ts";
import { cannot, type Obstacle, type PlannedRound } from "./rounds.ts";

/** The base's side of a round, ready to be asked. */
export interface BaseSide {
  readonly kind: "open";
  /** The head's task with the baseline's prompts, so that the grading is the same on both sides. */
  readonly task: PreparedTask;
  readonly spec: CandidateSpec;
  readonly candidate: Candidate;
  readonly sha: string | null;
}

/** Inputs for opening a round's base. */
interface ToOpenBase {
  readonly round: PlannedRound;
  readonly task: PreparedTask;
  readonly prepared: Prepared;
  readonly stored: PromptsWanted["stored"];
  readonly trees: BaseTrees;
}

/** Opens the baseline's candidate as it was then, or returns why that is impossible here. */
export async function openBaseSide(asked: ToOpenBase, tools: Tools): Promise<BaseSide | Obstacle> {
  const { round, stored } = asked;
  const recorded = stored.run.candidates.find(({ id }) => id === round.baseCandidate);
  try {
    if (recorded === undefined)
      return cannot("base_refused", "the baseline does not say what its candidate was");
    const { askedAgain } = candidateKinds[recorded.kind];
    switch (askedAgain) {
      case "as_recorded":
        return await openModelSide(asked, recorded.model ?? "", tools);
      case "in_checkout":
        return await openProgramSide(asked, recorded.kind, tools);
      case "base_recorded":
        return cannot(
          askedAgain,
          "the baseline's answers are a recording, which gives the same again",
        );
      case "base_elsewhere":
        return cannot(
          askedAgain,
          "the baseline's answers came from an app over HTTP, and which version answers there now can't be known",
        );
    }
  } catch (error) {
    if (!(error instanceof Refusal) || tools.signal.aborted) throw error;
    return cannot("base_refused", `the base can't be opened here: ${firstOf(error.problems)}`);
  }
}

/** The name and settings of a model come from run.json, its address from the suite. */
async function openModelSide(
  asked: ToOpenBase,
  model: string,
  tools: Tools,
): Promise<BaseSide | Obstacle> {
  const { round, prepared, stored, trees, task } = asked;
  const { suite } = prepared;
  const colon = model.indexOf(":");
  const generation = stored.run.generation[round.baseCandidate];
  const base = await trees.policySuite();
  const provider = findProvider(model.slice(0, Math.max(0, colon)), [base?.suite, suite]);
  if (provider === undefined || !isGeneration(generation))
    return cannot(
      "base_refused",
      `the baseline's model ${model} can't be reached by what this suite declares`,
    );
  const name = model.slice(colon + 1);
  const spec = {
    id: round.baseCandidate,
    kind: "model",
    model,
    provider,
    name,
    generation,
  } as const;
  const [unpriced] = budgetProblems(suite.budget, [spec], { file: suite.path });
  if (unpriced !== undefined) return cannot("base_refused", unpriced.message);
  const wanted = { round, task, spec, stored };
  const known = [task.spec, ...(base?.suite.tasks ?? [])];
  const asking =
    askAsTemplate(wanted, known, tools.files.hashText) ?? (await askAsRecorded(wanted, tools));
  if (asking === undefined)
    return cannot(
      "no_prompt",
      "the prompt has changed since, and what the baseline asked is not in its samples: they were kept without their texts, or are of conversations with turns, tools or images",
    );
  return openSide({ asked, spec, asking, suite, sha: null }, tools);
}

/** Opens a program from a checkout of the base's commit, which its `setup` prepares. */
async function openProgramSide(
  { round, task, prepared, stored, trees }: ToOpenBase,
  kind: CandidateKind,
  tools: Tools,
): Promise<BaseSide | Obstacle> {
  const base = await trees.open();
  if ("obstacle" in base) return base;
  const { suite } = base.resolved;
  const spec = suite.candidates.find(({ id }) => id === round.baseCandidate);
  const at = base.sha === null ? "the base" : `the commit ${base.sha.slice(0, 12)}`;
  if (spec?.kind !== kind)
    return cannot("base_refused", `in ${at} the suite has no ${kind} \`${round.baseCandidate}\``);
  const { gate } = prepared.suite;
  if (!isPrepared(spec) && (gate === "none" || gate.confirm !== "always"))
    return cannot(
      "no_setup",
      `in ${at} no \`setup\` says how a checkout is prepared for \`${spec.id}\`; declare one, or \`confirm: always\` where none is needed`,
    );
  const wanted = { round, task, spec, stored };
  const asking = askAsTemplate(wanted, suite.tasks, tools.files.hashText);
  if (asking === undefined)
    return cannot(
      "no_prompt",
      `the prompt in ${at} is not the one that the baseline was made with`,
    );
  const failure = await base.prepare(spec);
  if (failure !== undefined) return cannot("setup_failed", failure);
  return openSide(
    { asked: { round, task, prepared, stored, trees }, spec, asking, suite, sha: base.sha },
    tools,
  );
}

async function openSide(
  side: {
    readonly asked: ToOpenBase;
    readonly spec: CandidateSpec;
    readonly asking: PromptSource;
    readonly suite: Suite;
    readonly sha: string | null;
  },
  tools: Tools,
): Promise<BaseSide | Obstacle> {
  const { asked, spec, asking, suite, sha } = side;
  const { traffic, place } = asked.prepared;
  const withheld = [...tools.candidateTools.withheld, ...dataOf(suite)];
  const around = { suite, place, withheld, trafficOf: traffic.of };
  const found = await openCandidate(spec, { ...tools.candidateTools, ...around });
  if ("problems" in found)
    return cannot("base_refused", `the base can't be opened here: ${firstOf(found.problems)}`);
  const { renderPrompt, fieldsFor, instructionsFor } = asking;
  const task = { ...asked.task, renderPrompt, fieldsFor, instructionsFor };
  return { kind: "open", task, spec, candidate: found.candidate, sha };
}

function firstOf([first]: readonly Problem[]): string {
  return first === undefined ? "it was refused" : formatProblem({ ...first, hint: undefined });
}

/** The settings that every model has; all others are specific to a model. */
function isGeneration(value: Json | undefined): value is Generation & JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return ["timeout_seconds", "max_retries", "max_empty_retries"].every(
    (key) => typeof Object.entries(value).find(([name]) => name === key)?.[1] === "number",
  );
}

/** Runs a candidate's setup in a checkout, only once; returns the reason if it fails. */
export function createPrepare(
  { resolved }: BaseSuite,
  tools: Tools,
): (spec: CandidateSpec) => Promise<string | undefined> {
  const done = new Map<string, Promise<string | undefined>>();
  return (spec) => {
    const key = JSON.stringify("setup" in spec ? [spec.setup, spec.env] : []);
    const found =
      done.get(key) ?? runSetups([spec], resolved.suite, tools).then((failure) => failure?.reason);
    done.set(key, found);
    return found;
  };
}
