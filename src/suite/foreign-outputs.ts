import type { Suite } from "../model/definition/suite.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import type { Resolved } from "./read-manifest.ts";

/** Outputs of someone else's code, as a run's `samples.jsonl`: they are judged, but nothing else of that run is trusted. */
export interface ForeignOutputs {
  /** The file, absolute. */
  readonly samples: string;
  /** The slots that have outputs. */
  readonly candidates: readonly string[];
  /** `owner/repo` of the code that produced them. */
  readonly repository: string;
  /** The page of the workflow run that produced them. */
  readonly source: string;
}

/** Replaces the candidates' answers by the file's. Dataset, graders and gate stay the suite's own. */
export function withForeignOutputs(resolved: Resolved, foreign: ForeignOutputs): Resolved {
  const { suite } = resolved;
  const candidates = suite.candidates.map((each) => replayed(each, suite, foreign));
  return { ...resolved, suite: { ...suite, candidates } };
}

/** Slots are matched by name. If each side has exactly one slot, the two match under any name, as in a comparison. */
function replayed(
  { id }: CandidateSpec,
  suite: Suite,
  { samples, candidates }: ForeignOutputs,
): CandidateSpec {
  const [only, ...others] = candidates;
  const isPair = suite.candidates.length === 1 && others.length === 0;
  const model = isPair && only !== undefined ? only : id;
  return {
    id,
    kind: "replay",
    file: { path: "samples.jsonl", absolute: samples },
    model,
    output_field: "output_text",
    id_field: "case_id",
  };
}

/** The warning that precedes everything else in a report. */
export function unverifiedLine({
  repository,
  scored,
}: {
  readonly repository: string;
  readonly scored?: true;
}): string {
  if (scored === true)
    return `Unverified: the results, scores included, were produced by code of ${repository}; nothing of them can be graded again here.`;
  return `Unverified: the outputs were produced by code of ${repository}, and graded here by the base's graders.`;
}
