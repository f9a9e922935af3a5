import { randomUUID } from "node:crypto";
import type { Problem } from "../../../src/model/refusal.ts";
import { openGitHub, type GitHub } from "../../../src/github/api/github.ts";
import { paced } from "./pace.ts";
import type { GitHub as StandIn } from "./server.ts";

export interface OpenOptions {
  readonly signal?: AbortSignal;
  readonly timeoutSeconds?: number;
  /** Uses the waits of production instead of those of tests. */
  readonly waitsInFull?: boolean;
  /** Another pace than the usual one of tests: `0.001` waits a thousandth. */
  readonly pace?: string;
}

/** The product's own client for the stand-in. Each has its own token, like separate jobs. */
export async function openClient(
  standIn: Pick<StandIn, "url">,
  { signal = new AbortController().signal, waitsInFull = false, pace, ...more }: OpenOptions = {},
): Promise<{ readonly github: GitHub; readonly warnings: Problem[] }> {
  const warnings: Problem[] = [];
  const waits = pace === undefined ? paced : { REGRADE_TEST_GITHUB_PACE: pace };
  const github = await openGitHub({
    env: { GITHUB_API_URL: standIn.url, ...(!waitsInFull && waits) },
    token: `ghs_${randomUUID()}`,
    repository: { owner: "owner", repo: "app" },
    warn: (problem) => warnings.push(problem),
    signal,
    ...more,
  });
  return { github, warnings };
}
