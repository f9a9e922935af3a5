/** An artifact as the service knows it; `content` is there once its blob was finalized. */
export interface Artifact {
  readonly id: number;
  readonly name: string;
  readonly run: string;
  readonly job: string;
  readonly attempt: number;
  readonly blob: string;
  readonly expiresAt: string | undefined;
  readonly mimeType: string | undefined;
  readonly createdAt: string;
  content: Buffer | undefined;
  digest: string | undefined;
}

/** State of the artifact service. */
export interface Artifacts {
  /** undefined: the name is taken in this run attempt. */
  readonly create: (
    wanted: Pick<Artifact, "name" | "run" | "job" | "expiresAt" | "mimeType">,
  ) => Artifact | undefined;
  readonly find: (name: string, run: string) => Artifact | undefined;
  readonly list: (run: string) => readonly Artifact[];
  readonly all: readonly Artifact[];
  /** A re-run: its names are free again, the old artifacts stay. */
  readonly nextAttempt: () => void;
}

export function createArtifacts(known: readonly Artifact[] = []): Artifacts {
  const all = known.map((artifact) => ({ ...artifact }));
  let attempt = 1;
  const newestFirst = (run: string): Artifact[] =>
    all.filter((artifact) => artifact.run === run).toReversed();
  return {
    all,
    nextAttempt: () => {
      attempt += 1;
    },
    create: (wanted) => {
      const isTaken = newestFirst(wanted.run).some(
        (artifact) => artifact.name === wanted.name && artifact.attempt === attempt,
      );
      if (isTaken) return undefined;
      const id = 1000 + all.length;
      const artifact: Artifact = {
        ...wanted,
        id,
        attempt,
        blob: `artifact-${id}`,
        createdAt: new Date().toISOString(),
        content: undefined,
        digest: undefined,
      };
      all.push(artifact);
      return artifact;
    },
    find: (name, run) => newestFirst(run).find((artifact) => artifact.name === name),
    list: (run) => newestFirst(run).filter((artifact) => artifact.content !== undefined),
  };
}
