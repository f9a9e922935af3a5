import { shortSha } from "../api/commits.ts";
import type { FoundBaseline, NoBaseline } from "../../model/baseline.ts";
import type { RunKey } from "../../model/outcomes/run.ts";
import type { ArtifactFacts } from "./choose.ts";
import type { PickedScores } from "./pick.ts";
import type { FinderContext } from "./runs.ts";
import { otherPathRemedy, take, type TakenFor, type Tried, type Unsure } from "./take.ts";
import { isResultsPath, keyText } from "../runner/run-key.ts";

/**
 * Decides about runs that left scores under other keys than this job's, the nearest first: uses those that can only
 * belong to this suite; otherwise names their owners and what to do. undefined if there are no such runs.
 */
export async function settleBaseline(
  unsure: readonly Unsure[],
  question: TakenFor,
  finder: FinderContext,
): Promise<FoundBaseline | undefined> {
  const tried: Tried[] = [];
  let others: NoBaseline | undefined;
  for (const each of unsure) {
    const found = await settleOne(each, question, finder);
    if (found.kind === "found") return found;
    if (found.kind === "none" && each.picked.kind === "undecided") return found;
    if (found.kind === "none") others ??= found;
    else tried.push(found);
  }
  const [first] = tried;
  if (first === undefined) return others;
  const reason = tried.map((each) => each.reason).join("; ");
  return { kind: "none", reason, remedy: first.remedy ?? finder.runTheBase };
}

async function settleOne(
  { picked, run, reason }: Unsure,
  question: TakenFor,
  finder: FinderContext,
): Promise<FoundBaseline | Tried> {
  switch (picked.kind) {
    case "likely": {
      const [known] = await keysOf([picked.artifact], run, finder);
      const why = known?.key === undefined ? "" : `, of ${keyText(known.key)}`;
      return take({ run, reason: `${reason}${why}`, artifact: picked.artifact }, question, finder);
    }
    case "undecided": {
      const known = await keysOf(picked.artifacts, run, finder);
      const written = known.filter(
        (each) => each.suite === question.suite && each.writtenPath === question.path,
      );
      const [only, ...more] = picked.why === "old" ? written : [];
      return only !== undefined && more.length === 0
        ? take({ run, reason, artifact: only.artifact }, question, finder)
        : undecided({ picked, run, known }, question, finder);
    }
    case "elsewhere": {
      const known = await keysOf(picked.artifacts, run, finder);
      const moved = await movedFrom(known, question);
      if (moved !== undefined) {
        const why = `${reason}, of ${moved.key.path}, where no file is any more`;
        return take({ run, reason: why, artifact: moved.artifact }, question, finder);
      }
      return otherPaths({ run, known, count: picked.artifacts.length }, question, finder);
    }
  }
}

interface Known {
  readonly artifact: ArtifactFacts;
  /** undefined: the key can't be read. */
  readonly key: RunKey | undefined;
  readonly suite: string | undefined;
  /** Path of the manifest as it was given to the run, relative to its working directory. */
  readonly writtenPath: string | undefined;
}

/** Limit of artifacts that are read to learn their owners. */
const mostNamed = 4;

async function keysOf(
  artifacts: readonly ArtifactFacts[],
  run: Unsure["run"],
  { scores }: FinderContext,
): Promise<readonly Known[]> {
  return Promise.all(
    artifacts.slice(0, mostNamed).map(async (artifact) => {
      const got = await scores.fetch(artifact, run);
      if (got.kind === "refused")
        return { artifact, key: undefined, suite: undefined, writtenPath: undefined };
      const { key, suite } = got.stored.run;
      return { artifact, key, suite: suite.name, writtenPath: suite.path };
    }),
  );
}

/** The only suite of that name whose manifest no longer exists, which is this suite before it was moved. */
async function movedFrom(
  known: readonly Known[],
  { suite, isGone }: TakenFor,
): Promise<{ readonly artifact: ArtifactFacts; readonly key: RunKey } | undefined> {
  const moved: { artifact: ArtifactFacts; key: RunKey }[] = [];
  for (const { artifact, key, suite: name } of known) {
    // Scores that could not be read may be the baseline.
    if (key === undefined) return undefined;
    const isOut = isResultsPath(key.path) || (await isGone(key.path));
    if (isOut && name === suite) moved.push({ artifact, key });
  }
  const [only, ...more] = moved;
  return more.length === 0 && known.length < mostNamed ? only : undefined;
}

function undecided(
  found: {
    readonly picked: Extract<PickedScores, { readonly kind: "undecided" }>;
    readonly run: Unsure["run"];
    readonly known: readonly Known[];
  },
  { suite, path }: TakenFor,
  { of }: FinderContext,
): NoBaseline {
  const { picked, run, known } = found;
  const own = keyText({ path, job: of.job ?? "", leg: of.leg });
  const there = listed(known, picked.artifacts.length);
  const where = `run ${run.id} of ${shortSha(run.headSha)} has`;
  switch (picked.why) {
    case "shared":
      return {
        kind: "none",
        reason: `${where} ${picked.artifacts.length} runs of ${suite} under one key (${own}), so that nobody can tell them apart`,
        remedy:
          "Give each of the jobs or steps that run this suite an input `leg` of its own; once the base branch has run so, each finds its own baseline.",
      };
    case "several":
      return {
        kind: "none",
        reason: `${where} several runs of ${suite}, and neither job nor leg says which is that of ${own}: ${there}`,
        remedy:
          "Give the job the id, or its input `leg` the value, of the one to compare with, or set `baseline: none` until the base branch has run this job.",
      };
    case "old":
      return {
        kind: "none",
        reason: `${where} several runs of ${suite}, left by a version of Regrade that did not say whose they are: ${there}`,
        remedy:
          "Set `baseline: none` until the base branch has run this version, whose artifacts say it.",
      };
    case "other_leg":
      return {
        kind: "none",
        reason: `${where} runs of ${suite} for other legs than that of ${own}: ${there}`,
        remedy:
          "Give the input `leg` the value of the leg to compare with; a leg that is new is judged without a baseline by `baseline: none` until the base branch has run it.",
      };
  }
}

function otherPaths(
  found: {
    readonly run: Unsure["run"];
    readonly known: readonly Known[];
    readonly count: number;
  },
  question: TakenFor,
  finder: FinderContext,
): NoBaseline {
  const { run, known, count } = found;
  const { suite, path } = question;
  const there = listed(known, count);
  return {
    kind: "none",
    reason: `run ${run.id} of ${shortSha(run.headSha)} has a suite called ${suite}, and not the one of ${path}: ${there}`,
    remedy: otherPathRemedy(question, finder),
  };
}

/** Names of the runs' owners. */
function listed(known: readonly Known[], count: number): string {
  const texts = known.map(({ key, artifact }) => (key ? keyText(key) : artifact.name));
  const more = count - texts.length;
  return [...texts.toSorted(), ...(more > 0 ? [`${more} more`] : [])].join("; ");
}
