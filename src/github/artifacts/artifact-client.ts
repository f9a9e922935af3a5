/**
 * The client of GitHub's artifact service. It is a separate file in dist/ (4 MB, half of the start-up time), loaded
 * before the first upload.
 */
export { DefaultArtifactClient } from "@actions/artifact";
