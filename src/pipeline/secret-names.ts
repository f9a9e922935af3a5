import type { SecretNames } from "../domain/ports.ts";
import type { CandidateSpec } from "../domain/suite.ts";

/** The environment variables whose values the candidates of a suite are given. */
export function secretNames(candidates: readonly CandidateSpec[]): SecretNames {
  return {
    keys: candidates.flatMap((each) => (each.kind === "model" ? keyOf(each) : [])),
    variables: candidates.flatMap(variablesOf),
  };
}

function keyOf({ provider }: Extract<CandidateSpec, { kind: "model" }>): readonly string[] {
  return provider.api_key_env === undefined ? [] : [provider.api_key_env];
}

function variablesOf(candidate: CandidateSpec): readonly string[] {
  switch (candidate.kind) {
    case "command":
    case "worker":
    case "http":
      return candidate.env;
    case "model":
    case "replay":
      return [];
  }
}
