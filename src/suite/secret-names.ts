import { namedVariables } from "../model/models/agent.ts";
import { handedTo, modelOf } from "../model/definition/candidate-kinds.ts";
import { modelsAllowed, singleGraders } from "../model/definition/graders.ts";
import type { SecretNames } from "../model/ports/secrets.ts";
import type { ModelRef, Suite } from "../model/definition/suite.ts";

/** The environment variables whose values are passed to a suite's candidates, and to the models that its graders ask. */
export function secretNames(
  suite: Pick<Suite, "candidates" | "tasks" | "judge_model" | "embedding_model" | "hidden_texts">,
): SecretNames {
  const { candidates, tasks, judge_model, embedding_model } = suite;
  const models = [
    ...candidates.map(modelOf).filter((each) => each !== undefined),
    ...[judge_model, embedding_model].filter((each) => each !== undefined),
    ...tasks.flatMap(({ grader }) => singleGraders(grader).flatMap(modelsAllowed)),
  ];
  return {
    keys: models.flatMap(keyOf),
    variables: [
      ...candidates.flatMap((each) => handedTo(each).env),
      ...candidates.flatMap(ofAgents),
    ],
    texts: suite.hidden_texts,
  };
}

function ofAgents(candidate: Suite["candidates"][number]): readonly string[] {
  return candidate.kind === "agent" ? namedVariables(candidate) : [];
}

function keyOf({ provider }: ModelRef): readonly string[] {
  return provider.api_key_env === undefined ? [] : [provider.api_key_env];
}
