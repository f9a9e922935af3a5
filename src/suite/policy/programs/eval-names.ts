const signs = [
  /\bREGRADE(?:_\w*)?\b/g,
  /\bGITHUB_(?!TOKEN\b|API_URL\b|SERVER_URL\b)[A-Z]\w*/g,
  /\bRUNNER_(?:OS|ARCH|NAME|TEMP|TOOL_CACHE|ENVIRONMENT|DEBUG)\b/g,
  /\b(?:GITLAB_CI|JENKINS_URL|BUILDKITE|CIRCLECI|TRAVIS|TF_BUILD|TEAMCITY_VERSION|CODEBUILD_BUILD_ID)\b/g,
  // The variable, and not the word in a text.
  /(?<=["'`$%{.])CI(?=["'`}%]|$|\s*[)\];,=|&?:])/gm,
] as const;
/** Our own name in a text, for example to look for it among the processes. */
const ownName = /(["'`])[^"'`\n]{0,200}?\bregrade\b[^"'`\n]{0,200}?\1/i;

/** Names of what only a run of evals or a CI job has, in the text of a program. Pure. */
export function signsIn(text: string): ReadonlySet<string> {
  const joined = text.replaceAll(/(["'])\s*\+\s*\1/g, "");
  const named = signs.flatMap((sign) => [...joined.matchAll(sign)].map(([name]) => name));
  const isNamed = named.some((name) => name.startsWith("REGRADE"));
  return new Set([...named, ...(!isNamed && ownName.test(joined) ? ["regrade"] : [])]);
}
