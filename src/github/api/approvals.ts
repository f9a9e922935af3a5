import { posix } from "node:path";
import type { FindApprovals, LabelQuestion } from "../../model/baseline.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { problem, type Problem } from "../../model/refusal.ts";
import type { LabelApproval, RunApprovals } from "../../model/outcomes/run.ts";
import { changeOf, type WorkflowContext } from "../runner/context.ts";
import { whyNotOther } from "./approvers.ts";
import type { GitHub } from "./github.ts";
import { beganAt, readLabel, type PullRun, type TimelineEvent } from "./labels.ts";
import { findGroupPulls, type GroupPulls, type LabelledPull } from "./merge-group.ts";

interface ApprovalOptions {
  readonly context: WorkflowContext;
  /** The base commit whose policy judges; undefined: the event's. */
  readonly baseSha?: string | undefined;
  readonly workflowPath: string;
  readonly github: () => Promise<GitHub>;
  readonly warn: (problem: Problem) => void;
  readonly note: (text: string) => void;
}

/** Looks up the labels of a pull request where an approval would change something; about four calls. */
export function openApprovals(options: ApprovalOptions): FindApprovals {
  return async (asked) => {
    const none: RunApprovals = { policy: null, loss: null };
    const github = await options.github();
    const doing = { what: "reading the labels", permission: "pull-requests: read", decides: true };
    const found = await github.attempt(doing, () => findAll(asked, options, github));
    if (found.kind === "done") return found.value;
    if (found.reason !== "cancelled")
      options.warn(
        problem("labels_unknown", {
          reason: found.problem.message,
          isDenied: found.reason === "forbidden" || found.reason === "missing",
        }),
      );
    return none;
  };
}

async function findAll(
  asked: LabelQuestion,
  options: ApprovalOptions,
  github: GitHub,
): Promise<RunApprovals> {
  const none: RunApprovals = { policy: null, loss: null };
  const found = await findPulls(options.context, github);
  if (found.kind === "unknown") options.note(found.reason);
  if (found.kind === "unknown" || found.pulls.length === 0) return none;
  const readers = await Promise.all(
    found.pulls.map((pull) =>
      openLabels(pull, { ...options, asked, isOneOf: found.pulls.length }, github),
    ),
  );
  const read = async (label: string | undefined): Promise<LabelApproval | null> => {
    if (label === undefined) return null;
    const given: LabelApproval[] = [];
    for (const reader of readers) {
      const one = await reader(label);
      // The group does not tell which pull request needs the label, so each of them must have it.
      if (one === null) return null;
      given.push(one);
    }
    const by = [...new Set(given.map((one) => one.by))].join(", ");
    const at = given.map((one) => one.at).toSorted();
    return { label, by, at: at.at(-1) ?? "", approvers: asked.approvers };
  };
  return { policy: await read(asked.policy), loss: await read(asked.loss) };
}

async function findPulls(
  { pull, mergeGroup, ref }: ApprovalOptions["context"],
  github: GitHub,
): Promise<GroupPulls> {
  if (pull !== undefined) {
    const author = pull.author === "" ? undefined : pull.author;
    return { kind: "known", pulls: [{ ...pull, author }], isByCommit: true };
  }
  return mergeGroup === undefined
    ? { kind: "known", pulls: [], isByCommit: true }
    : findGroupPulls(mergeGroup, ref, github);
}

type ReadApproval = (label: string) => Promise<LabelApproval | null>;

interface LabelOptions extends ApprovalOptions {
  readonly asked: LabelQuestion;
  /** Number of pull requests that need the label. */
  readonly isOneOf: number;
}

/** The labels of one pull request. */
async function openLabels(
  pull: LabelledPull,
  options: LabelOptions,
  github: GitHub,
): Promise<ReadApproval> {
  const [timeline, runs] = await Promise.all([
    listTimeline(pull.number, github),
    listRuns(pull, options, github),
  ]);
  const began = beganAt(runs, pull);
  const where = options.isOneOf > 1 ? `#${pull.number}, one of a group: ` : "";
  return async (label) => {
    const found = readLabel(label, timeline, began);
    if (found.kind === "not") {
      options.note(`${where}${found.reason}`);
      return null;
    }
    const asked = { label, by: found.by, pull, timeline };
    const trouble = await whyNot(asked, options, github);
    if (trouble === undefined) return { label, by: found.by, at: found.at };
    options.note(`${where}${trouble}`);
    return null;
  };
}

/**
 * Limit of pages, a thousand events. If there are more, the label counts if it is among the first thousand events, or
 * it can be added again.
 */
const mostPages = 10;

async function listTimeline(
  number: number,
  { request, repository }: GitHub,
): Promise<readonly TimelineEvent[]> {
  const events: TimelineEvent[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const { data } = await request("GET /repos/{owner}/{repo}/issues/{issue_number}/timeline", {
      ...repository,
      issue_number: number,
      per_page: 100,
      page,
    });
    const raw: readonly unknown[] = data;
    events.push(...raw.flatMap(readEvent));
    if (raw.length < 100) break;
    // An unread event could be a push.
    if (page === mostPages) events.push(unread);
  }
  return events;
}

const unread: TimelineEvent = {
  event: "head_ref_force_pushed",
  at: "9999-01-01T00:00:00Z",
  label: undefined,
  actor: undefined,
  isPerson: false,
};

function readEvent(value: unknown): readonly TimelineEvent[] {
  if (!isRecord(value)) return [];
  const { event, created_at: at, label, actor } = value;
  if (typeof event !== "string" || typeof at !== "string") return [];
  return [
    {
      event,
      at,
      label: textIn(label, "name"),
      actor: textIn(actor, "login"),
      isPerson: textIn(actor, "type") === "User",
    },
  ];
}

function isRecord(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textIn(value: Json | undefined, key: string): string | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return typeof found === "string" ? found : undefined;
}

async function listRuns(
  pull: LabelledPull,
  { workflowPath, context }: ApprovalOptions,
  { request, repository }: GitHub,
): Promise<readonly PullRun[]> {
  const { data } = await request("GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs", {
    ...repository,
    workflow_id: posix.basename(workflowPath),
    event: context.event === "pull_request_target" ? "pull_request_target" : "pull_request",
    branch: pull.headRef,
    per_page: 100,
  });
  return data.workflow_runs.map((run) => {
    // Null if the fork was deleted.
    const head: { readonly full_name: string } | null | undefined = run.head_repository;
    return { headSha: run.head_sha, headRepo: head?.full_name, createdAt: run.created_at };
  });
}

interface Given {
  readonly label: string;
  readonly by: string;
  readonly pull: LabelledPull;
  readonly timeline: readonly TimelineEvent[];
}

/** Why a label does not count, as a sentence; undefined if it counts. */
async function whyNot(
  { label, by, pull, timeline }: Given,
  { asked, context, baseSha }: LabelOptions,
  github: GitHub,
): Promise<string | undefined> {
  const trouble = await mayNot(by, label, github);
  if (trouble !== undefined || asked.approvers === "writers") return trouble;
  const base = baseSha ?? changeOf(context)?.baseSha ?? "";
  const moves = timeline.filter(({ event }) => movesByPush.includes(event));
  const movers = moves.flatMap(({ actor }) => actor ?? []);
  const why = await whyNotOther({ login: by, pull, baseSha: base, movers }, github);
  if (why === undefined) return undefined;
  return `The label '${label}', put on by ${by}, does not count: ${why.reason}. ${why.remedy}`;
}

/** Events of a pull request's timeline that a push leaves behind. */
const movesByPush = ["head_ref_force_pushed", "head_ref_restored"];

/** Why a person may not approve anything; undefined if they may. */
async function mayNot(
  login: string,
  label: string,
  { request, repository }: GitHub,
): Promise<string | undefined> {
  const { data } = await request("GET /repos/{owner}/{repo}/collaborators/{username}/permission", {
    ...repository,
    username: login,
  });
  // The API reports `maintain` as `write` and `triage` as `read`.
  if (data.permission === "admin" || data.permission === "write") return undefined;
  return `The label '${label}' was put on by ${login}, who has no write access.`;
}
