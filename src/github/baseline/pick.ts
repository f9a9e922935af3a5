import { hashPart, readScoresName, type ScoresName } from "../artifacts/artifact-names.ts";
import { chooseArtifact, type ArtifactFacts } from "./choose.ts";
import { slug } from "../runner/suite-names.ts";

/** Identifies the wanted scores. */
interface WantedScores {
  /** The suite's name. */
  readonly suite: string;
  /** The manifest's path in the base. */
  readonly path: string;
  /** undefined: any job, because the job that asks is not the one that ran the suite. */
  readonly job: string | undefined;
  /** Empty: there is no leg. */
  readonly leg: string;
}

/** Choice of a run's artifact with the wanted scores. */
export type PickedScores =
  /** The scores of exactly this suite, job and leg. */
  | { readonly kind: "exact"; readonly artifact: ArtifactFacts }
  /** The only scores of this suite that can be this job's: the job was renamed, or its matrix was added or removed. */
  | { readonly kind: "likely"; readonly artifact: ArtifactFacts }
  /**
   * Several scores of this suite that neither job nor leg tells apart. `shared`: they have the same key. `old`: a
   * version without keys left them.
   */
  | {
      readonly kind: "undecided";
      readonly why: "shared" | "several" | "other_leg" | "old";
      readonly artifacts: readonly ArtifactFacts[];
    }
  /** Scores of suites with that name whose manifests have other paths. */
  | { readonly kind: "elsewhere"; readonly artifacts: readonly ArtifactFacts[] }
  | { readonly kind: "none" };

interface Scores extends ScoresName {
  readonly artifact: ArtifactFacts;
}

/** Finds the wanted scores among the artifacts of a run. Pure. */
export function pickScores(all: readonly ArtifactFacts[], wanted: WantedScores): PickedScores {
  const scores = scoresIn(all);
  const path = hashPart(wanted.path);
  const own = scores.filter((each) => each.slug === slug(wanted.suite));
  const atPath = scores.filter(({ key }) => key?.path === path);
  const named = atPath.filter((each) => own.includes(each));
  // A suite that was renamed still has its manifest at the same path.
  const fitting = named.length > 0 ? named : atPath;
  if (fitting.length > 0) return pickByJob(fitting, wanted);
  const old = own.filter(({ key }) => key === undefined);
  const [first, ...others] = old;
  if (first !== undefined) return others.length === 0 ? exact(first) : undecided("old", old);
  return own.length === 0
    ? { kind: "none" }
    : { kind: "elsewhere", artifacts: own.map(artifactOf) };
}

/** Scores of the artifacts, each name once: an earlier attempt's artifact is listed beside a later one's. */
function scoresIn(all: readonly ArtifactFacts[]): readonly Scores[] {
  const names = [...new Set(all.map(({ name }) => name))];
  return names.flatMap((name) => {
    const read = readScoresName(name);
    const artifact = chooseArtifact(all, name) ?? all.find((one) => one.name === name);
    return read === undefined || artifact === undefined ? [] : [{ ...read, artifact }];
  });
}

function pickByJob(fitting: readonly Scores[], wanted: WantedScores): PickedScores {
  const leg = hashPart(wanted.leg);
  const ofLeg = fitting.filter(({ key }) => key?.leg === leg);
  const ofJob = fitting.filter(
    ({ key }) => wanted.job === undefined || key?.job === hashPart(wanted.job),
  );
  const both = ofLeg.filter((each) => ofJob.includes(each));
  const [first, ...others] = both;
  if (first !== undefined) {
    if (others.length === 0) return exact(first);
    const isShared = others.every(({ key }) => key?.job === first.key?.job);
    return undecided(isShared ? "shared" : "several", both);
  }
  // A matrix has other legs, whose runs may be missing, and one leg's run can't replace another's.
  const isOfLegs = wanted.leg !== "" && fitting.every(({ key }) => key?.leg !== hashPart(""));
  if (isOfLegs && ofLeg.length === 0) return undecided("other_leg", fitting);
  const only = [fitting, ofLeg, ofJob].find((each) => each.length === 1)?.[0];
  if (only === undefined) return undecided("several", fitting);
  return { kind: "likely", artifact: only.artifact };
}

function exact({ artifact }: Scores): PickedScores {
  return { kind: "exact", artifact };
}

function undecided(
  why: Extract<PickedScores, { kind: "undecided" }>["why"],
  scores: readonly Scores[],
): PickedScores {
  return { kind: "undecided", why, artifacts: scores.map(artifactOf) };
}

function artifactOf({ artifact }: Scores): ArtifactFacts {
  return artifact;
}
