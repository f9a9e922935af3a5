import type { RunStart, RunStore } from "../model/ports/store.ts";
import type { Prepared } from "../suite/prepare.ts";
import type { Tools } from "../tools.ts";
import { journalKeyOf } from "./journal-key.ts";
import { placeFor } from "./interrupted.ts";
import { identityOf } from "./shard/identity.ts";

interface StoreRequest extends Pick<RunStart, "resume" | "rerun" | "attempt"> {
  /** The run directory. undefined: `.regrade/runs/<run id>`. */
  readonly out: string | undefined;
}

/** Opens the run directory of a request; no other process may use it until it is released. */
export async function openStore(
  request: StoreRequest,
  prepared: Prepared,
  tools: Tools,
): Promise<RunStore> {
  const runId = tools.newRunId();
  const own = await tools.findOwnRuns();
  const identity = identityOf(prepared, request);
  const asked = { resume: request.resume, runId, inputHash: identity.inputHash };
  const store = await tools.openRunStore({
    directory: request.out ?? (await placeFor(asked, own, tools)),
    resume: request.resume,
    rerun: request.rerun ?? false,
    ...identity,
    attempt: request.attempt,
    runId,
    createdAt: new Date(tools.now()).toISOString(),
    makeKey: journalKeyOf(prepared, tools.files.readBytes),
  });
  if (request.out === undefined) await tools.keepOutOfGit(own.folder);
  return store;
}
