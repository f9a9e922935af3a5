import { join } from "node:path";
import { parseAnswer } from "../../base/answer-json.ts";
import type { Candidate, Generated, GenerateRequest } from "../../model/models/candidate.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { CandidateTools, OpenedCandidate } from "../open.ts";
import type { ReplaySpec } from "../recording.ts";
import { readTrajectory } from "./trajectory.ts";

/** Opens a folder of trajectories as recorded answers. A file is read again when its case is asked. */
export async function openTrajectories(
  spec: ReplaySpec,
  tools: CandidateTools,
): Promise<OpenedCandidate> {
  const { absolute, path } = spec.file;
  const place = tools.place(["candidates", spec.id, "replay"]);
  const found = await tools.hashGlobs(["**/*.json"], { directory: absolute, root: absolute });
  const names = Object.keys(found.files);
  const index = new Map<string, string[]>();
  const problems: Problem[] = [];
  for (const name of names) {
    const read = await readFile(join(absolute, name), tools);
    if ("reason" in read) problems.push(unreadable(`${path}/${name}`, read.reason, place));
    else addTo(index, read.caseId ?? caseIdOf(name), { name, repeat: read.repeat });
  }
  if (index.size === 0 && problems.length === 0)
    problems.push(problem("trajectories_none", { path }, place));
  if (problems.length > 0) return { problems };
  const candidate: Candidate = {
    id: spec.id,
    generate: (request) => generate(request, { spec, index, tools }),
    concurrency: 64,
    costly: false,
    recorded: true,
    ...(spec.answeredBefore === undefined && {
      recordings: {
        has: ({ caseId }) => index.has(caseId),
        some: [...index.keys()].slice(0, 3),
      },
    }),
    close: async () => undefined,
  };
  return { candidate, hash: { kind: "replay", format: "atif", files: found.files } };
}

function addTo(
  index: Map<string, string[]>,
  caseId: string,
  { name, repeat }: { readonly name: string; readonly repeat: number | undefined },
): void {
  const known = index.get(caseId) ?? [];
  known[repeat ?? known.length] = name;
  index.set(caseId, known);
}

/**
 * The case of a file, by its name: `tasks/parse.json`, `parse.trajectory.json` and `parse__x7Kd2/agent/trajectory.json`
 * (as Harbor lays out trials) all belong to the case `parse`.
 */
function caseIdOf(name: string): string {
  const steps = name.split("/");
  const file = (steps.at(-1) ?? "").replace(/(?:\.trajectory)?\.json$/, "");
  if (file !== "trajectory") return file;
  const folder = steps.slice(0, -1).findLast((step) => step !== "agent") ?? file;
  return folder.replace(/__[A-Za-z0-9]+$/, "");
}

async function generate(
  { caseId, repeat }: GenerateRequest,
  {
    spec,
    index,
    tools,
  }: {
    readonly spec: ReplaySpec;
    readonly index: ReadonlyMap<string, readonly string[]>;
    readonly tools: CandidateTools;
  },
): Promise<Generated> {
  const { path, absolute } = spec.file;
  const names = index.get(caseId) ?? [];
  // A single trajectory serves every repeat, like a recording without repeats.
  const name = names[repeat] ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined) {
    const message = `${path} has no trajectory of case '${caseId}' (repeat ${repeat})`;
    return missing(spec, "no_recording", message);
  }
  const read = await readFile(join(absolute, name), tools);
  if (!("reason" in read)) return read.generated;
  return missing(spec, "recording_changed", `${path}/${name} was changed: ${read.reason}`);
}

/**
 * The result if a trajectory is missing. If the base has one, the case counts as failed: a change could leave it out to
 * hide a wrong answer.
 */
function missing({ answeredBefore }: ReplaySpec, type: string, message: string): Generated {
  if (answeredBefore === undefined) return { kind: "unavailable", type, message };
  const words = `${message}; the base may have an answer to it, so it counts as failed`;
  return { kind: "failed", type: "recording_left_out", message: words };
}

function unreadable(path: string, reason: string, place: Place): Problem {
  return problem("trajectory_unreadable", { path, reason }, place);
}

async function readFile(
  absolute: string,
  { readBytes }: CandidateTools,
): Promise<ReturnType<typeof readTrajectory>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readBytes(absolute)) pieces.push(piece.slice());
  const parsed = parseAnswer(Buffer.concat(pieces).toString(), () => false);
  if (parsed.kind === "malformed") return { reason: parsed.reason };
  return readTrajectory(parsed.value);
}
