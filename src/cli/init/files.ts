import { builtinGraders } from "../../model/definition/builtins.ts";
import {
  placeholderProgram,
  starterData,
  starterLabels,
  starterProgram,
  starterSize,
} from "./starter.ts";
import { azureEndpointEnv } from "../../model/models/providers.ts";
import type { ReadCandidate, StarterGrader } from "./answers.ts";

/** Choices for a first suite. */
export interface Choices {
  readonly name: string;
  /** undefined: the example's data set is written. */
  readonly dataset:
    | {
        /** Relative to the manifest's folder, with forward slashes. */
        readonly path: string;
        /** The field that identifies a case; undefined: `id`, or none does. */
        readonly idField: string | undefined;
        readonly prompt: string;
        readonly target: string;
      }
    | undefined;
  readonly grader: StarterGrader;
  readonly candidate:
    | { readonly kind: "command"; readonly python: string }
    | Extract<ReadCandidate, { readonly kind: "model" }>;
  /** The suite's folder, relative to the repository's root; "" is the root itself. */
  readonly folder: string;
  /** undefined: no workflow is written. `only`: evals/ has other files, which are no suites. */
  readonly workflow:
    | { readonly path: string; readonly branch: string; readonly only: boolean }
    | undefined;
  /** Published name of the action: `owner/regrade@v1`; undefined: unknown. */
  readonly action: string | undefined;
  /** The manifest's schema in an installed package, relative to the manifest. */
  readonly schemaPath: string | undefined;
}

/** A file to be written, with its purpose. */
export interface PlannedFile {
  readonly path: string;
  readonly text: string;
  readonly about: string;
  /** True if the path is relative to the repository's root, not to the suite's folder. */
  readonly inRoot?: boolean;
}

/** Placeholder for the account that publishes the action, if it is unknown. */
export const unknownAction = "OWNER/regrade@v1";

/** Address of the manifest's schema, with which editors complete and check; undefined: unknown. */
function schemaAddress({ action, schemaPath }: Choices): string | undefined {
  if (schemaPath !== undefined) return schemaPath;
  const [repository, ref] = (action ?? "").split("@");
  if (ref === undefined) return undefined;
  return `https://raw.githubusercontent.com/${repository}/${ref}/schemas/suite.schema.json`;
}

/** The files of a first suite. */
export function planFiles(choices: Choices): readonly PlannedFile[] {
  const { name, dataset, candidate, workflow } = choices;
  return [
    { path: `evals/${name}.yaml`, text: manifest(choices), about: "the suite" },
    ...(dataset === undefined
      ? [{ path: `evals/data/${name}.jsonl`, text: starterData(), about: `${starterSize} cases` }]
      : []),
    ...(candidate.kind === "command"
      ? [
          {
            path: `evals/${name}.py`,
            text: dataset === undefined ? starterProgram : placeholderProgram,
            about: "the program that is judged; put yours in its place",
          },
        ]
      : []),
    ...(workflow === undefined
      ? []
      : [
          {
            path: workflow.path,
            text: workflowText(choices, workflow),
            about: "runs the suites on every pull request",
            inRoot: true,
          },
        ]),
  ];
}

function manifest(choices: Choices): string {
  const { name, dataset } = choices;
  const schema = schemaAddress(choices);
  return [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]),
    'schema_version: "2026-05-27"',
    `name: ${scalar(name)}`,
    "",
    ...(dataset === undefined ? starterTask(name) : ownTask(dataset)),
    ...graderLines(choices),
    "",
    ...candidateLines(choices),
    "",
    ...gateLines(choices),
    "",
  ].join("\n");
}

function starterTask(name: string): readonly string[] {
  const [last = "", ...others] = starterLabels.toReversed();
  return [
    `dataset: ${scalar(`data/${name}.jsonl`)} # ${starterSize} support tickets; put your own in their place`,
    "prompt_template: |-",
    `  Sort this support ticket: ${others.toReversed().join(", ")} or ${last}? Answer with the label alone.`,
    "",
    "  {{text}}",
    'target_template: "{{label}}"',
    `output_extraction: { type: label_set, labels: [${starterLabels.join(", ")}] }`,
  ];
}

function ownTask(dataset: NonNullable<Choices["dataset"]>): readonly string[] {
  const { path, idField, prompt, target } = dataset;
  return [
    idField === undefined
      ? `dataset: ${scalar(path)}`
      : `dataset: { file: ${scalar(path)}, id_field: ${scalar(idField)} }`,
    `prompt_template: ${scalar(prompt)}`,
    `target_template: ${scalar(target)}`,
  ];
}

function graderLines({ grader, dataset }: Choices): readonly string[] {
  const number =
    grader === "numeric"
      ? ["output_extraction: { type: number } # the last one of the answer"]
      : [];
  const size = dataset === undefined ? [`min_cases: ${starterSize} # fewer are never a pass`] : [];
  return [...number, `grader: ${grader}`, ...size];
}

function candidateLines({ candidate, name }: Choices): readonly string[] {
  switch (candidate.kind) {
    case "command": {
      const program = scalar(`${name}.py`);
      return [
        "candidates:",
        "  app:",
        `    command: [${candidate.python}, ${program}]`,
        `    inputs: [${program}] # the files that its answers depend on`,
      ];
    }
    case "model":
      return [
        "candidates:",
        `  app: ${scalar(candidate.model)}`,
        "run:",
        "  generation: { max_output_tokens: 2000 }",
      ];
  }
}

/** The gate's lines. For the user's own data it is unknown which share is good enough. */
function gateLines({ dataset, grader }: Choices): readonly string[] {
  const metric = builtinGraders[grader].metrics[0]?.id ?? grader;
  const rules = [
    `    - { metric: ${metric}, min: 0.8 }`,
    `    - { metric: ${metric}, max_drop: 0.02 } # blocks when a drop of 2 points or more is proven`,
  ];
  const baseline =
    "  # baseline: { path: baseline } # an earlier run's directory, kept in the repository";
  if (dataset === undefined) return ["gate:", "  rules:", ...rules, baseline];
  return [
    "# Judged by its difference to a baseline, until you say what is good enough:",
    ...["gate:", "  rules:", ...rules].map((line) => `# ${line}`),
    `# ${baseline.replace("# baseline", "baseline")}`,
  ];
}

/** Events that can change a verdict: labels approve losses, and an edit may change the base branch. */
const pullTypes = "opened, synchronize, reopened, labeled, unlabeled, edited";

/**
 * The workflow file. `actions: read` finds baselines; `checks: write` and `pull-requests: write` allow a check run and
 * a comment. `strict` refuses likely mistakes, because warnings in a workflow are rarely read.
 */
function workflowText(
  choices: Choices,
  { path, branch }: NonNullable<Choices["workflow"]>,
): string {
  return [
    `name: ${path.replace(/^.*\/|\.yml$/g, "")}`,
    `on: { pull_request: { types: [${pullTypes}] }, merge_group: {}, push: { branches: [${scalar(branch)}] }, workflow_dispatch: {} }`,
    "permissions: { contents: read, actions: read, checks: write, pull-requests: write }",
    "jobs:",
    "  evals:",
    "    runs-on: ubuntu-latest",
    "    steps:",
    "      - uses: actions/checkout@v6",
    "        with: { persist-credentials: false }",
    ...workflowStep(choices),
    "",
  ].join("\n");
}

/** The step that runs the suite. */
export function workflowStep(choices: Choices): readonly string[] {
  const { action = unknownAction, candidate, folder, name, workflow } = choices;
  const inputs = [
    "strict: true",
    ...(folder === "" ? [] : [`working-directory: ${scalar(folder)}`]),
    ...(workflow?.only === true ? [`suite: ${scalar(`evals/${name}.yaml`)}`] : []),
  ];
  return [
    `      - uses: ${action}`,
    `        with: { ${inputs.join(", ")} }`,
    ...environmentLines(candidate),
  ];
}

function environmentLines(candidate: Choices["candidate"]): readonly string[] {
  if (candidate.kind !== "model") return [];
  const { keyEnv, ownAddress } = candidate;
  const variables = [
    ...(keyEnv === undefined ? [] : [`${keyEnv}: "\${{ secrets.${keyEnv} }}"`]),
    ...(ownAddress ? [`${azureEndpointEnv}: "\${{ vars.${azureEndpointEnv} }}"`] : []),
  ];
  return variables.length === 0 ? [] : [`        env: { ${variables.join(", ")} }`];
}

/** A YAML scalar: bare if that is safe, else in JSON's quotes, which YAML shares. */
function scalar(text: string): string {
  const bare =
    /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(text);
  return bare ? text : JSON.stringify(text);
}
