/** A token as the runner gives to actions: the artifact service reads run and job from its claim `scp`. */
export function makeRuntimeToken(run: string, job: string): string {
  const scp = `Actions.GenericRead:00000000 Actions.Results:${run}:${job} Actions.UploadArtifacts`;
  return `${part({ alg: "none", typ: "JWT" })}.${part({ scp, exp: 4_102_444_800 })}.${part({})}`;
}

/** undefined if the header has no such token. */
export function readRuntimeToken(
  authorization: string | undefined,
): { readonly run: string; readonly job: string } | undefined {
  const claims = /^Bearer [\w-]+\.([\w-]+)\./.exec(authorization ?? "")?.[1];
  if (claims === undefined) return undefined;
  const { scp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { scp: string };
  const found = /(?:^| )Actions\.Results:([^: ]+):([^: ]+)(?: |$)/.exec(scp);
  return found?.[1] && found[2] ? { run: found[1], job: found[2] } : undefined;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
