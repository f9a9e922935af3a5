import type { WatchOpens } from "./model/ports/processes.ts";
import type { CandidateTools } from "./candidate/open.ts";
import type { Ledger, LedgerReader } from "./model/figures/ledger.ts";
import type {
  FoundFile,
  HashText,
  OpenFile,
  ReadBytes,
  ReadText,
  Scratch,
  StampTree,
} from "./model/ports/files.ts";
import type { Place } from "./model/refusal.ts";
import type { AlteredFiles, BaseTree, EditedFiles } from "./model/outcomes/policy.ts";
import type { PythonTools } from "./model/ports/programs.ts";
import type { Secrets } from "./model/ports/secrets.ts";
import type {
  AnswerCache,
  OwnRuns,
  RunStore,
  SampleReader,
  StoredRun,
  SuiteRun,
  RunStart,
} from "./model/ports/store.ts";
import type { Report } from "./model/ports/progress.ts";
import type { DownloadDataset, RemoteTools } from "./model/ports/remote.ts";
import type { Run } from "./model/outcomes/run.ts";
import type { RegradedTask } from "./model/outcomes/compared.ts";
import type { Sample } from "./model/outcomes/sample.ts";

/** Everything from outside that a run needs; wiring.ts makes it from the adapters. */
export interface Tools {
  readonly files: FileTools;
  readonly remote: RemoteTools;
  /** Downloads remote data sets. Default: all of their rows, for this suite alone. */
  readonly downloadDataset?: DownloadDataset;
  /** Throws a Refusal if there is no suitable Python. */
  readonly startPython: () => Promise<PythonTools>;
  readonly candidateTools: Omit<CandidateTools, "suite" | "place" | "trafficOf">;
  readonly openRunStore: (start: RunStart) => Promise<RunStore>;
  /** The folder for answers and rows of earlier runs. `isOwn`: false if a commit may have created it. */
  readonly cache: {
    readonly folder: string;
    readonly isOwn: () => Promise<boolean>;
    /** Finds an earlier version's cache in the checkout, which is no longer used. */
    readonly findOld: () => Promise<string | undefined>;
  };
  readonly openAnswerCache: (runId: string, writtenBefore?: number) => AnswerCache;
  /** Prepares for reading a run while something else is awaited. */
  readonly expectRun: () => Promise<void>;
  /** `beside`: the scores that it will be compared with; common texts are stored once. */
  readonly readRun: (directory: string, beside?: Ledger) => Promise<StoredRun>;
  /** The runs one level below a directory, where a command that runs several suites puts them. */
  readonly findSuiteRuns: (directory: string) => Promise<readonly SuiteRun[]>;
  /** Input hash of a run in any state; undefined if none was started in the directory. */
  readonly readInputHash: (directory: string) => Promise<string | undefined>;
  readonly visitSamples: (directory: string) => AsyncIterable<Sample>;
  /** The samples of a run that is not written any more, by id; none if the run has no samples.jsonl. */
  readonly openSamples: (directory: string) => Promise<SampleReader>;
  /** The baseline's scores by a run's own grader, from its directory. */
  readonly readRegraded: (
    directory: string,
    tasks: readonly RegradedTask[],
  ) => Promise<LedgerReader>;
  /** Writes summary.md into a run directory again. */
  readonly writeSummary: (directory: string, summary: string) => Promise<void>;
  /** Writes a file that the user named, piece by piece; the old one stays until the new one is whole. */
  readonly writeText: (file: string, pieces: AsyncIterable<string>) => Promise<void>;
  /** The page of `report.html` without its data. */
  readonly readPageTemplate: () => Promise<string>;
  readonly secrets: Secrets;
  /** The commit and the branch of the working directory; nulls if there is none. */
  readonly readGitHead: () => Promise<Pick<Run["git"], "sha" | "ref">>;
  /** The tree for a policy: from a git ref, or otherwise from a folder. Throws a Refusal if neither exists. */
  readonly openBaseTree: (source: string) => Promise<BaseTree>;
  /** The tree of a commit, by its full id. undefined, or a Refusal, if it can't be fetched. */
  readonly openCommit: (sha: string) => Promise<BaseTree | undefined>;
  /** Whether a path may have come with the checked-out commit: git or a submodule tracks it, or git can't tell. */
  readonly isOfCommit: (absolutePath: string) => Promise<boolean>;
  readonly watchOpens: WatchOpens;
  readonly stampTree: StampTree;
  /** The folders of Regrade's own programs. */
  readonly ownFolders: readonly string[];
  /** The files with the texts of runs at and below these places, except in one directory. */
  readonly findRunTexts: (places: readonly string[], except: string) => Promise<readonly string[]>;
  /** The default folder of runs, and the runs in it. */
  readonly findOwnRuns: () => Promise<OwnRuns>;
  /** Makes git ignore a folder of ours. */
  readonly keepOutOfGit: (directory: string) => Promise<void>;
  readonly newRunId: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly machine: Machine;
}

export interface FileTools {
  readonly readText: ReadText;
  readonly readBytes: ReadBytes;
  readonly hashText: HashText;
  readonly hashFile: (absolutePath: string) => Promise<string>;
  readonly inspectPath: InspectPath;
  /** Whether a folder is empty. */
  readonly isEmptyFolder: (absolutePath: string) => Promise<boolean>;
  readonly openScratch: () => Promise<Scratch>;
  readonly openFile: OpenFile;
  /** The files that paths or globs name; if `root` is given, none outside it. Throws a Refusal if one names no file. */
  readonly findResultFiles: (
    patterns: readonly string[],
    within: {
      readonly directory: string;
      readonly root: string | undefined;
      readonly place?: Place | undefined;
    },
  ) => Promise<readonly FoundFile[]>;
  /** Whether two small folders have the same files; false for large ones. */
  readonly haveSameFiles: (one: string, other: string) => Promise<boolean>;
  /** The files that differ between two folders. */
  readonly findAltered: (root: string, base: BaseTree) => Promise<AlteredFiles>;
  /** Files of a checkout whose content is not the commit's. */
  readonly findEdited: (root: string, commit?: string) => Promise<EditedFiles>;
  /** A file of this name in the same folder. */
  readonly findBeside: (file: FoundFile, name: string) => Promise<FoundFile | undefined>;
  /** A manifest's path made absolute, its folder, and the folder that its paths may not leave. */
  readonly locate: (manifest: string) => Promise<{
    readonly absolute: string;
    readonly directory: string;
    readonly root: string;
    /** Relative to the root, with forward slashes, as written: links on the way are not followed. */
    readonly path: string;
    /** Other possible paths, if links lead back to the root. */
    readonly otherPaths: readonly string[];
  }>;
}

/** Kind of a path, links followed. */
type InspectPath = (absolutePath: string) => Promise<{
  readonly kind: "file" | "directory" | "missing";
  readonly real: string;
}>;

/** Facts about the machine for run.json. */
interface Machine {
  readonly node: string;
  readonly os: string;
  readonly regrade: string;
}
