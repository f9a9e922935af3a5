import type { FenceReport } from "../ports/fence.ts";
import type { CandidateSpec } from "./candidate-spec.ts";

export type CandidateKind = CandidateSpec["kind"];

/** A candidate as run.json names it. */
export interface RunCandidate {
  readonly id: string;
  readonly kind: CandidateKind;
  readonly model: string | null;
  /** The fence around its program. Candidates that ask for none don't have it. */
  readonly fence?: FenceReport;
}

/** Traits of a candidate kind that code other than its adapter needs. */
interface CandidateTraits {
  /** Its answers are recorded: they cost nothing, and asking again gives the same. */
  readonly recorded: boolean;
  /** A program of the repository: `setup` prepares a checkout for it, and it may change files on this machine. */
  readonly program: boolean;
  /** Each sample is at least one request over the network. */
  readonly network: boolean;
  /** Whether the input hash covers everything that its answers depend on; `with_inputs`: if `inputs` names files. */
  readonly reproducible: "always" | "with_inputs";
  /**
   * How the base's candidate is run again to confirm a drop: as run.json describes it or in a checkout of the base's
   * commit; or the reason why it can't be run again.
   */
  readonly askedAgain: "as_recorded" | "in_checkout" | "base_recorded" | "base_elsewhere";
}

const program = {
  recorded: false,
  program: true,
  network: false,
  reproducible: "with_inputs",
  askedAgain: "in_checkout",
} as const;

/** The kinds of candidates. A new one is a row here, a shape in `suite.ts`, its keys in `src/manifest` and a file in `src/candidate`. */
export const candidateKinds: Readonly<Record<CandidateKind, CandidateTraits>> = {
  command: program,
  worker: program,
  agent: { ...program, network: true },
  http: {
    recorded: false,
    program: false,
    network: true,
    reproducible: "with_inputs",
    askedAgain: "base_elsewhere",
  },
  answer: {
    recorded: true,
    program: false,
    network: false,
    reproducible: "always",
    askedAgain: "base_recorded",
  },
  replay: {
    recorded: true,
    program: false,
    network: false,
    reproducible: "always",
    askedAgain: "base_recorded",
  },
  model: {
    recorded: false,
    program: false,
    network: true,
    reproducible: "always",
    askedAgain: "as_recorded",
  },
};

/** The inputs of a candidate beside the prompt, and the files that its answers depend on. */
interface Handed {
  readonly inputs: readonly string[];
  readonly env: readonly string[];
  readonly pass: readonly string[];
}

/** All lists are empty for a kind that receives nothing. */
export function handedTo(candidate: CandidateSpec): Handed {
  return "env" in candidate ? candidate : { inputs: [], env: [], pass: [] };
}

export type ModelSpec = Extract<CandidateSpec, { readonly kind: "model" }>;

/** The model that Regrade itself asks: that of a model candidate, or of an agent in Regrade's own loop. */
export function modelOf(candidate: CandidateSpec): ModelSpec | undefined {
  if (candidate.kind === "model") return candidate;
  if (candidate.kind !== "agent" || candidate.program.kind !== "model") return undefined;
  const { id, program: model, system_prompt: instructions } = candidate;
  const given = instructions === undefined ? {} : { instructions };
  return { id, ...model, generation: { ...model.generation, ...given } };
}

/** Whether the input hash covers everything that its answers depend on. */
export function isReproducible(candidate: CandidateSpec): boolean {
  const isAlone = modelOf(candidate) !== undefined && !isServed(candidate);
  if (isAlone) return true;
  const { reproducible } = candidateKinds[candidate.kind];
  return reproducible === "always" || handedTo(candidate).inputs.length > 0;
}

/** Whether its drops can be confirmed by asking again. A program needs `setup`, unless drops are always confirmed. */
export function canAskAgain(candidate: CandidateSpec, isAlways: boolean): boolean {
  switch (candidateKinds[candidate.kind].askedAgain) {
    case "as_recorded":
      return true;
    case "in_checkout":
      return isAlways || isPrepared(candidate);
    case "base_recorded":
    case "base_elsewhere":
      return false;
  }
}

/** Whether it is an agent with servers of tools, whose results Regrade can't determine. */
function isServed(candidate: CandidateSpec): boolean {
  return candidate.kind === "agent" && Object.keys(candidate.mcp_servers).length > 0;
}

function hasSetup(candidate: CandidateSpec): boolean {
  return "setup" in candidate && candidate.setup !== undefined;
}

/** False for an agent that is installed on the machine, if no program of the repository serves it. */
function needsSetup(candidate: CandidateSpec): boolean {
  if (candidate.kind !== "agent") return true;
  const isStarted = Object.values(candidate.mcp_servers).some(({ type }) => type === "stdio");
  return candidate.program.kind === "command" || isStarted;
}

/** Whether a checkout of the base is ready for it, according to its manifest. */
export function isPrepared(candidate: CandidateSpec): boolean {
  return hasSetup(candidate) || !needsSetup(candidate);
}

/** Whether run.json may name this kind. False for kinds of later versions. */
export function isRecordedKind(kind: string): boolean {
  return Object.entries(candidateKinds).some(([each, { recorded }]) => each === kind && recorded);
}
