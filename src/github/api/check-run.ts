import { annotationsPerRequest, type Annotation, type CheckOutput } from "../../model/check.ts";
import type { CallResult, Doing, FailedCall, GitHub } from "./github.ts";

/** The conclusion of a check run, in GitHub's words. */
export const checkConclusions = ["success", "failure", "neutral", "cancelled", "skipped"] as const;
export type CheckConclusion = (typeof checkConclusions)[number];

export interface CheckSubject {
  /** The name that the pull request shows and that a branch rule can require: `Regrade: support-bot`. */
  readonly name: string;
  readonly headSha: string;
  readonly detailsUrl: string | undefined;
  readonly externalId: string;
}

/** A check run that was begun, or should have been. */
export interface OpenCheck {
  readonly subject: CheckSubject;
  /** undefined: GitHub has not told it yet. */
  readonly id: number | undefined;
  /** True if its creation has not been answered (yet); it may exist nevertheless. */
  readonly mayExist?: boolean;
  /** Its conclusion, if GitHub has not accepted it yet; undefined if there is none. */
  readonly cameTo?: CheckConclusion | undefined;
  /** The login of the token's app, taken from GitHub's answers: `github-actions[bot]`. */
  readonly author?: string | undefined;
}

export interface CheckEnd {
  readonly conclusion: CheckConclusion;
  readonly output: CheckOutput;
}

interface CompletedCheck {
  readonly url: string | undefined;
  /** A failure after the conclusion was written: annotations are missing. */
  readonly trouble: FailedCall | undefined;
}

/** A cancelled job completes its checks, too, because an open check blocks the pull request for two weeks. */
const doing: Doing = { what: "the check run", permission: "checks: write", forTheEnd: true };
const annotating: Doing = { ...doing, what: "adding annotations to the check run" };
/** Limit of annotations: nobody reads more, and each request takes a second. */
const mostAnnotations = 250;

/** Name of a suite's check, whichever job and run it belongs to. */
export function checkName(suite: string): string {
  // GitHub's limit is not documented; longer names are cut in every list.
  return `Regrade: ${suite.slice(0, 100)}`;
}

/**
 * Shows the check as in progress. The request is not repeated after a server's error, because the check may exist
 * already, and a second one would stay open; GitHub is then asked whether it exists.
 */
export async function beginCheck(
  github: GitHub,
  subject: CheckSubject,
): Promise<CallResult<OpenCheck>> {
  const begun = await github.attempt(doing, async () => {
    const { data } = await github.request("POST /repos/{owner}/{repo}/check-runs", {
      ...github.repository,
      ...described(subject),
      status: "in_progress",
      request: { retries: 0 },
    });
    const slug = data.app?.slug;
    return { subject, id: idOf(data), author: slug ? `${slug}[bot]` : undefined };
  });
  if (begun.kind === "done" || begun.reason !== "down") return begun;
  const id = found(await findCheck(github, subject));
  return id === undefined ? begun : { kind: "done", value: { subject, id } };
}

/** Finds a check whose creation got no answer, by its external id; undefined if there is none. */
export async function findCheck(
  github: GitHub,
  { name, headSha, externalId }: CheckSubject,
): Promise<CallResult<number | undefined>> {
  const listed = await github.attempt({ ...doing, what: "looking for the check run" }, () =>
    github.request("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", {
      ...github.repository,
      ref: headSha,
      check_name: name,
      filter: "all",
      per_page: 100,
    }),
  );
  if (listed.kind === "failed") return listed;
  const own = listed.value.data.check_runs.find((each) => each.external_id === externalId);
  return { kind: "done", value: own && idOf(own) };
}

/** The value of an answer; undefined also if GitHub does not answer. */
function found(asked: CallResult<number | undefined>): number | undefined {
  return asked.kind === "done" ? asked.value : undefined;
}

/** Gives the check its conclusion with the first annotations, then adds the others, 50 per request. */
export async function completeCheck(
  github: GitHub,
  check: OpenCheck,
  end: CheckEnd,
): Promise<CallResult<CompletedCheck>> {
  const { conclusion, output } = end;
  const [first = [], ...others] = batches(output.annotations.slice(0, mostAnnotations));
  const body = { status: "completed", conclusion, output: written(output, first) } as const;
  const completed = await complete(github, check, body);
  if (completed.kind === "failed") return completed;
  const { id, url } = completed.value;
  for (const annotations of others) {
    const added = await github.attempt(annotating, () =>
      send(github, { ...check, id }, { output: written(output, annotations) }),
    );
    if (added.kind === "failed") return { kind: "done", value: { url, trouble: added } };
  }
  return { kind: "done", value: { url, trouble: undefined } };
}

/**
 * Completes the check. If its creation got no answer, it is looked up before it is created again, because a second one
 * would stay open.
 */
async function complete(
  github: GitHub,
  check: OpenCheck,
  body: CheckBody,
): Promise<CallResult<SentCheck>> {
  for (let tries = 1; ; tries += 1) {
    const mayExist = check.mayExist === true || tries > 1;
    const id = check.id ?? (mayExist ? found(await findCheck(github, check.subject)) : undefined);
    const sent = await github.attempt(doing, () => send(github, { ...check, id }, body));
    if (sent.kind === "done" || id !== undefined || sent.reason !== "down") return sent;
    if (tries === mostCreations) return sent;
  }
}

const mostCreations = 2;

interface SentCheck {
  readonly id: number | undefined;
  readonly url: string | undefined;
}

interface CheckBody {
  readonly status?: "completed";
  readonly conclusion?: CheckConclusion;
  readonly output: ReturnType<typeof written>;
}

/** Sends the conclusion. If the first request was refused, everything is sent at the end. */
async function send(
  github: GitHub,
  { id, subject }: OpenCheck,
  body: CheckBody,
): Promise<SentCheck> {
  const where = github.repository;
  const { data } =
    id === undefined
      ? await github.request("POST /repos/{owner}/{repo}/check-runs", {
          ...where,
          ...described(subject),
          ...body,
          request: { retries: 0 },
        })
      : await github.request("PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", {
          ...where,
          check_run_id: id,
          ...body,
        });
  return { id: idOf(data), url: data.html_url ?? undefined };
}

/** The check's id; undefined if something other than GitHub has answered. */
function idOf({ id }: { readonly id?: unknown }): number | undefined {
  return typeof id === "number" ? id : undefined;
}

function described({ name, headSha, detailsUrl, externalId }: CheckSubject) {
  const details = detailsUrl === undefined ? {} : { details_url: detailsUrl };
  return { name, head_sha: headSha, external_id: externalId, ...details };
}

function written({ title, summary, text }: CheckOutput, annotations: readonly Annotation[]) {
  return { title, summary, text, annotations: [...annotations] };
}

function batches(annotations: readonly Annotation[]): readonly (readonly Annotation[])[] {
  const count = Math.ceil(annotations.length / annotationsPerRequest);
  return Array.from({ length: count }, (_, i) =>
    annotations.slice(i * annotationsPerRequest, (i + 1) * annotationsPerRequest),
  );
}
