/**
 * The client of GitHub's artifact service: a file of its own in dist/, 4 MB and half of the start-up time, read when there
 * is something to upload.
 */
export { DefaultArtifactClient } from "@actions/artifact";
