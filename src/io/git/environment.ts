/**
 * Variables that lead git to another repository, index or history than those around its folder. A step of the job may have
 * set them for all later ones (GITHUB_ENV), and git sets some itself in its hooks.
 */
const misleading: readonly string[] = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_COMMON_DIR",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
  "GIT_GRAFT_FILE",
  "GIT_SHALLOW_FILE",
  "GIT_REPLACE_REF_BASE",
  "GIT_ATTR_SOURCE",
  "GIT_TEMPLATE_DIR",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_LITERAL_PATHSPECS",
  "GIT_GLOB_PATHSPECS",
  "GIT_NOGLOB_PATHSPECS",
  "GIT_ICASE_PATHSPECS",
  "GIT_CEILING_DIRECTORIES",
  "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/** The environment for git: it looks at the repository of its folder, and at its objects as they are. */
export function gitEnvironment(
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string | undefined>> {
  const kept = Object.entries(process.env).filter(([name]) => !misleading.includes(name));
  // A replaced object (git replace) would differ from the commit that GitHub knows.
  return { ...Object.fromEntries(kept), GIT_NO_REPLACE_OBJECTS: "1", ...more };
}
