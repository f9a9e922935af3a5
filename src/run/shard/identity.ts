import { attemptQuestion, type AttemptAsked } from "../../model/outcomes/attempts.ts";
import { runIdentity } from "../../model/outcomes/shard.ts";
import type { Prepared } from "../../suite/prepare.ts";
import type { RunStart } from "../../model/ports/store.ts";

/** Identity that a resumed run must match. Another tool's results differ in each attempt. */
export function identityOf(
  { inputHash, shard, recorded, version, tasks, candidates }: Prepared,
  { attempt }: { readonly attempt?: AttemptAsked | undefined },
): Pick<RunStart, "inputHash" | "resultsHash"> {
  if (recorded === undefined || attempt?.before === undefined)
    return { inputHash: runIdentity(inputHash, shard) };
  const asked = tasks.map(({ spec }) => [spec.id, spec.repeats] as const);
  const ids = candidates.map(({ id }) => id);
  const question = attemptQuestion({ version, tasks: asked, candidates: ids });
  return { inputHash: question, resultsHash: inputHash };
}
