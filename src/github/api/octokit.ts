import { getOctokit } from "@actions/github";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import Bottleneck from "bottleneck/light.js";

/**
 * GitHub's client with its plugins: a separate file in dist/, loaded shortly before the first call. `@actions/github`
 * knows the proxies, and takes the API's address from GITHUB_API_URL, when it is imported.
 */
export { getOctokit, retry, throttling };

export type Octokit = ReturnType<typeof getOctokit>;

/** A queue of writes with a pause between them, as the throttling plugin makes its own. */
export function createWriteQueue(id: string, pauseMilliseconds: number): Bottleneck.Group {
  return new Bottleneck.Group({ id, maxConcurrent: 1, minTime: pauseMilliseconds });
}
