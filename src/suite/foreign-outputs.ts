import type { Suite } from "../model/suite.ts";
import type { CandidateSpec } from "../model/candidate-spec.ts";
import type { Resolved } from "./read-manifest.ts";

/** Outputs that someone else's code produced, as a run's `samples.jsonl`: they are judged, nothing else of that run is believed. */
export interface ForeignOutputs {
  /** The file, absolute. */
  readonly samples: string;
  /** The slots that it has outputs of. */
  readonly candidates: readonly string[];
  /** `owner/repo` with the code that produced them. */
  readonly repository: string;
  /** The page of the workflow run that did. */
  readonly source: string;
}

/** Replaces the candidates' answers by the file's. Dataset, graders and gate stay the suite's own. */
export function withForeignOutputs(resolved: Resolved, foreign: ForeignOutputs): Resolved {
  const { suite } = resolved;
  const candidates = suite.candidates.map((each) => replayed(each, suite, foreign));
  return { ...resolved, suite: { ...suite, candidates } };
}

/** Matched by name. If each side has exactly one slot they match under any name, as in a comparison. */
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

/** The warning that comes before everything else in a report. */
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
