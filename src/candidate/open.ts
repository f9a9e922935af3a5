import type { Withheld } from "../model/ports/fence.ts";
import type { OpenCassette } from "../model/models/cassette.ts";
import type { Json } from "../model/json.ts";
import type { ConnectMcp } from "../model/ports/mcp.ts";
import type { Clock } from "../model/ports/clock.ts";
import type { Candidate } from "../model/models/candidate.ts";
import type {
  Environment,
  FindProgram,
  RunCommand,
  RunLines,
  SpawnWorker,
} from "../model/ports/processes.ts";
import type { OpenWorkspace } from "../model/ports/workspace.ts";
import type { HashText, OpenFile, ReadBytes } from "../model/ports/files.ts";
import type { SendHttp } from "../model/ports/http.ts";
import { Refusal, type Place, type Problem } from "../model/refusal.ts";
import type { Suite } from "../model/definition/suite.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import { openAgent } from "./agent/open.ts";
import { openAnswer } from "./answer.ts";
import { fitAnswer } from "./answer-size.ts";
import { openTrajectories } from "./atif/open.ts";
import { openCommand } from "./command.ts";
import { conversing } from "./conversation.ts";
import { openHttp } from "./http.ts";
import { openModel } from "./model.ts";
import { openReplay } from "./replay.ts";
import type { TrafficControl } from "./resilience/traffic.ts";
import { openWorker } from "./worker.ts";

/** Tools that candidates need. */
export interface CandidateTools {
  readonly suite: Pick<Suite, "path" | "directory" | "root" | "tasks">;
  /** Position of a part of the suite in the manifest. */
  readonly place: (path: readonly (string | number)[]) => Place;
  readonly readBytes: ReadBytes;
  readonly openFile: OpenFile;
  readonly hashText: HashText;
  readonly hashGlobs: HashGlobs;
  readonly findProgram: FindProgram;
  readonly runCommand: RunCommand;
  readonly spawnWorker: SpawnWorker;
  readonly openWorkspace: OpenWorkspace;
  readonly runLines: RunLines;
  readonly connectMcp: ConnectMcp;
  readonly openCassette: OpenCassette;
  /** Command line that starts the launcher of the fence; its settings and the program are appended. */
  readonly fenceLauncher: readonly string[];
  /**
   * Paths that no fenced candidate is granted: data sets, baselines, runs, caches. The manifest and git's own files are
   * added later.
   */
  readonly withheld: readonly Withheld[];
  readonly sendHttp: SendHttp;
  /** The environment in which Regrade was started. */
  readonly environment: Environment;
  readonly cpus: number;
  readonly clock: Clock;
  /** Limits and pauses that all requests of this run to one provider with one key share. */
  readonly trafficOf: TrafficControl["of"];
}

/**
 * Finds the files that globs match, starting in the suite's folder and staying inside its root, with their hashes; and
 * the globs that match nothing.
 */
export type HashGlobs = (
  globs: readonly string[],
  suite: Pick<Suite, "directory" | "root">,
) => Promise<{
  readonly files: Readonly<Record<string, string>>;
  readonly unmatched: readonly string[];
  /** Paths that lead out of the root; their content is not hashed. */
  readonly outside: readonly string[];
  /** Paths with names that are not UTF-8; their content is not hashed either. */
  readonly unnamed: readonly string[];
}>;

/** An opened candidate and everything that determines its answers; or all problems. */
export type OpenedCandidate =
  | { readonly candidate: Candidate; readonly hash: Json }
  | { readonly problems: readonly Problem[] };

/** Opens a candidate of any kind before the first sample. Its answers are limited to the size of a sample's line. */
export async function openCandidate(
  spec: CandidateSpec,
  tools: CandidateTools,
): Promise<OpenedCandidate> {
  const opened = await openKind(spec, tools);
  if ("problems" in opened) return opened;
  const { candidate, hash } = opened;
  // A recording already contains the whole conversation.
  const answer = candidate.recorded === true ? candidate.generate : conversing(candidate.generate);
  const generate: Candidate["generate"] = (...asked) => answer(...asked).then(fitAnswer);
  return { candidate: { ...candidate, generate }, hash };
}

/** Opens a candidate by its kind. */
async function openKind(spec: CandidateSpec, tools: CandidateTools): Promise<OpenedCandidate> {
  try {
    switch (spec.kind) {
      case "command":
        return await openCommand(spec, tools);
      case "replay":
        return await (spec.format === "atif" ? openTrajectories : openReplay)(spec, tools);
      case "worker":
        return await openWorker(spec, tools);
      case "model":
        return await openModel(spec, tools);
      case "answer":
        return openAnswer(spec, tools);
      case "http":
        return await openHttp(spec, tools);
      case "agent":
        return await openAgent(spec, tools);
    }
  } catch (error) {
    if (error instanceof Refusal) return { problems: error.problems };
    throw error;
  }
}
