import { getOctokit } from "@actions/github";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import Bottleneck from "bottleneck/light.js";

/**
 * GitHub's client with its plugins. It is a separate file in dist/, loaded shortly before the first call. When it is
 * imported, `@actions/github` sets up proxies and takes the API's address from GITHUB_API_URL.
 */
export { getOctokit, retry, throttling };

export type Octokit = ReturnType<typeof getOctokit>;

/** Makes a queue of writes with a pause between them, like the throttling plugin's own. */
export function createWriteQueue(id: string, pauseMilliseconds: number): Bottleneck.Group {
  return new Bottleneck.Group({ id, maxConcurrent: 1, minTime: pauseMilliseconds });
}
