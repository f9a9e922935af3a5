import { createHash } from "node:crypto";
import { beforeEach } from "vitest";
import { isOfShare, readShare } from "../../scripts/share.ts";

/**
 * Skips tests of the tag `long` that are of another share than this run's, by the hash of their names. A vitest setup file: it
 * is loaded for each test file.
 */
const share = readShare(process.env["REGRADE_TEST_SHARE"]);

beforeEach(({ task, skip }) => {
  if (share === undefined || task.tags?.includes("long") !== true) return;
  const place = createHash("sha256").update(task.name).digest().readUInt32BE();
  skip(!isOfShare(place, share), "of another share");
});
