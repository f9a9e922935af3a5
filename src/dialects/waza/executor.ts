import { resolve } from "node:path";
import { at, type Part, placeOf } from "../../base/part.ts";
import type { Place } from "../../model/refusal.ts";
import { pathInDocument } from "../dialect.ts";
import { type Traced, traced, tracedFields } from "../origin.ts";
import {
  flagOf,
  fullText,
  refuseValue,
  scalarText,
  tellIdle,
  textList,
  wholeNumber,
  type WazaEval,
} from "./eval.ts";

/** The candidates that answer the tasks. */
export interface Executor {
  /** undefined if a manifest with `uses` names them itself. */
  readonly candidates: Traced | undefined;
  /** For `baseline: true`: the agent with its skills, and the same agent without them. */
  readonly compared: WithAndWithout | undefined;
}

export interface WithAndWithout {
  readonly withSkills: string;
  readonly without: string;
}

type Slot = readonly [name: string, candidate: Traced];

/** Reads the executor and the model, and with `baseline: true` the two agents to compare. */
export function readExecutor(config: Part, file: WazaEval): Executor {
  const executor = at(config, "executor");
  const name = fullText(executor, file);
  const own = file.tools.ownKeys;
  const isOwn = own?.has("candidates") === true || own?.has("models") === true;
  const baseline = at(file.root, "baseline");
  const isCompared = flagOf(baseline, file);
  if (isOwn && isCompared)
    tellIdle(
      baseline,
      "the manifest names its candidates: compare two of them by a rule with `against:`",
      file,
    );
  if (isOwn || name === undefined) return nobody;
  if (name !== "mock" && name !== "copilot-sdk") {
    refuseValue(executor, "copilot-sdk or mock", file);
    return nobody;
  }
  const open = name === "mock" ? mockOf : copilotOf;
  const first = open(config, file, "with");
  const skills = textList(at(config, "skill_directories"), file);
  if (isCompared && skills.length === 0)
    tellIdle(baseline, "there are no skill_directories to leave out, as in waza", file);
  return isCompared && skills.length > 0
    ? bothOf(first, open(config, file, "without"), placeOf(executor))
    : {
        candidates: tracedFields(Object.fromEntries([first]), placeOf(executor)),
        compared: undefined,
      };
}

const nobody: Executor = { candidates: undefined, compared: undefined };

function bothOf([name, candidate]: Slot, [, bare]: Slot, place: Place): Executor {
  const without = `${name}-without-skills`;
  return {
    candidates: tracedFields({ [name]: candidate, [without]: bare }, place),
    compared: { withSkills: name, without },
  };
}

type Skills = "with" | "without";

/** The runtime that waza controls by its SDK; here it is started as a program. */
function copilotOf(config: Part, file: WazaEval, skills: Skills): Slot {
  const place = placeOf(at(config, "executor"));
  const directories = at(config, "skill_directories");
  const folders = textList(directories, file).map((path) =>
    pathInDocument(resolve(file.tools.directory, path), file.tools),
  );
  const model = scalarText(at(config, "model"), file);
  const seconds = at(config, "timeout_seconds");
  const timeout = wholeNumber(seconds, 1, file);
  const hasSkills = skills === "with" && folders.length > 0;
  const candidate = tracedFields(
    {
      agent: traced("copilot", place),
      model: model === undefined ? undefined : traced(model, placeOf(at(config, "model"))),
      workspace: traced({ files: "files" }, place),
      tools: traced("all", place),
      skills: hasSkills ? traced(folders, placeOf(directories)) : undefined,
      timeout_seconds: timeout === undefined ? undefined : traced(timeout, placeOf(seconds)),
    },
    place,
  );
  return [slotOf(model ?? "copilot"), candidate];
}

function slotOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_.:@/-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "agent";
}

/** waza's mock agent, which answers with the prompt and the number of files. */
function mockOf(config: Part, file: WazaEval): Slot {
  const answer = "Mock response for: {{prompt}}{{mock_files}}";
  const candidate = { answer, transcript: "mock_steps", workspace: { files: "files" } };
  const model = scalarText(at(config, "model"), file);
  return [slotOf(model ?? "mock"), traced(candidate, placeOf(at(config, "executor")))];
}
