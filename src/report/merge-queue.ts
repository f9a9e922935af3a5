import type { Circumstances } from "../model/circumstances.ts";
import { commentLimitBytes } from "../model/comment.ts";
import { renderSection, type CommentView } from "./comment.ts";
import { clip, htmlCode } from "./escape.ts";

/** Bytes reserved for the lines above the sections. */
const headBytes = 2000;

/**
 * The comment that tells a pull request that the run of its merge group failed. It is a separate comment, because it
 * concerns another event.
 */
export function queueComment(views: readonly CommentView[], at: Circumstances): string {
  const room = Math.floor((commentLimitBytes - headBytes) / Math.max(1, views.length));
  const sections = views.map((view) => renderSection(view)(room));
  return [headline(at), wayOut, ...sections].join("\n\n");
}

function headline({ sha, baseBranch, runUrl, repositoryUrl }: Circumstances): string {
  const short = htmlCode(sha.slice(0, 7));
  const commit = repositoryUrl ? `<a href="${repositoryUrl}/commit/${sha}">${short}</a>` : short;
  const branch = baseBranch === undefined ? "" : ` for ${htmlCode(clip(baseBranch, 80))}`;
  const run = runUrl === undefined ? "run" : `<a href="${runUrl}">run</a>`;
  return `### ❌ The run of the merge queue failed\n\nThe ${run} on ${commit}, this change put on top of the queue${branch}, ended red. This is why.`;
}

const wayOut =
  "GitHub takes a pull request out of the queue when a required check fails there. Mend what is named below and push, or, where it was no fault of this change, put it into the queue again.";
