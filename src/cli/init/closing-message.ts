import { quoteWord } from "../../report/shell-word.ts";
import { azureEndpointEnv } from "../../model/models/providers.ts";
import type { ReadCandidate } from "./answers.ts";
import { unknownAction, workflowStep, type Choices } from "./files.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** The results of `init`, for its closing message. */
interface Done {
  /** Written paths as the user would type them, each with its purpose. */
  readonly written: readonly (readonly [path: string, about: string])[];
  /** Files that existed already with the same content. */
  readonly kept: readonly string[];
  readonly suite: string;
  /** The words that start this program. */
  readonly program: string;
  readonly candidate: ReadCandidate;
  readonly choices: Choices;
  readonly around: Surroundings;
  readonly env: Environment;
}

/** Lists the written files and the next steps. */
export function closingMessage(done: Done): string {
  const { written, kept, suite, program, candidate, choices, around, env } = done;
  const width = Math.max(0, ...written.map(([path]) => path.length));
  return [
    written.length === 0 ? "Everything is there already; nothing was written." : "Written:",
    ...written.map(([path, about]) => `  ${path.padEnd(width)}  ${about}`),
    ...(written.length > 0 && kept.length > 0 ? [`There already: ${kept.join(", ")}`] : []),
    "",
    ...needs(candidate, env),
    ...ofWorkflow(choices, around),
    ...addressNeeded(choices, around),
    ...around.neighbours.map((noteOf) => noteOf(program)),
    ...(candidate.kind === "command" ? around.keys : []),
    `Now: ${program} run ${quoteWord(suite)}`,
    "",
  ].join("\n");
}

/** Advice for an existing workflow, which is not changed: its missing parts are listed. */
function ofWorkflow(choices: Choices, { workflow }: Surroundings): readonly string[] {
  const { candidate } = choices;
  switch (workflow.kind) {
    case "write":
      return [];
    case "elsewhere":
      return [
        `${workflow.path} runs Regrade in other folders. Add this step to its job, so that it runs this suite too:`,
        ...workflowStep(choices),
      ];
    case "covered": {
      const { path, text, suite } = workflow;
      const own = `evals/${choices.name}.yaml`;
      const isNamed = suite === undefined || suite.includes("*") || suite.includes(own);
      const keys = candidate.kind === "model" ? [candidate.keyEnv ?? ""] : [];
      const hasKeys = keys.every((key) => text.includes(key));
      return [
        ...(isNamed ? [] : [`${path} runs only what its input \`suite\` names: add ${own} there.`]),
        ...(hasKeys
          ? []
          : [
              `${path} does not pass the key on yet. Its Regrade step needs it:`,
              ...workflowStep(choices).filter((line) => /^\s+env:/.test(line)),
            ]),
      ];
    }
  }
}

function addressNeeded(
  { workflow, action }: Choices,
  { workflow: found }: Surroundings,
): readonly string[] {
  const isOpen =
    workflow === undefined
      ? found.kind === "covered" && found.text.includes(unknownAction)
      : action === undefined;
  if (!isOpen) return [];
  return [
    `The workflow names ${unknownAction}: put the account that holds the action in OWNER's place, or name it with --action.`,
  ];
}

function needs(candidate: ReadCandidate, env: Environment): readonly string[] {
  if (candidate.kind === "command") return [];
  const { model, keyEnv, ownAddress } = candidate;
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  const address = ownAddress
    ? [
        isSet(azureEndpointEnv)
          ? `${model} needs your address: ${azureEndpointEnv} is set here; add it to the repository's variables.`
          : `${model} needs your address: set ${azureEndpointEnv} here, and add it to the repository's variables.`,
      ]
    : [];
  if (keyEnv === undefined) return address;
  return [
    ...address,
    isSet(keyEnv)
      ? `${model} needs a key: ${keyEnv} is set here; add it to the repository's secrets`
      : `${model} needs a key: set ${keyEnv} here, and add it to the repository's secrets`,
    "(Settings → Secrets and variables → Actions) under the same name.",
  ];
}
