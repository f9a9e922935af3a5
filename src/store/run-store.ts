import { rm } from "node:fs/promises";
import { createDigestTable, type DigestTable } from "../ledger/digest-table.ts";
import type { LedgerGroup } from "../model/figures/ledger.ts";
import type { Secrets } from "../model/ports/secrets.ts";
import type { RunStore, RunStart } from "../model/ports/store.ts";
import { writeFileAtomically, writeTogether, inspectPath } from "../io/files/files.ts";
import { batchLines } from "./batch-lines.ts";
import { Journal } from "./journal.ts";
import { readInterruptedRun, type InterruptedRun } from "./interrupted-run.ts";
import { attemptsOf, clearResults, readEarlierAttempt } from "./earlier-attempt.ts";
import { readFinishedRun } from "./finished-run.ts";
import { claimNewDirectory, claimOldDirectory } from "./run-directory.ts";
import {
  encryptFile,
  encryptInside,
  openEncryption,
  decryptSamples,
  sizeOf,
} from "./encrypted-journals.ts";
import type { Encryption } from "./encrypted-journals.ts";
import type { StoredLines } from "./encrypted-lines.ts";
import { createEncryptedRuns, type EncryptedRuns } from "./encrypted-runs.ts";
import { pathsIn } from "./run-files.ts";
import { keyInLine, openSampleReader } from "./sample-reader.ts";
import type { StoredPlan } from "./shapes.ts";
import { readLines } from "../io/files/lines.ts";

/**
 * Starts a run in an empty directory, or resumes the interrupted run there. Refuses a directory that is in use, and a
 * resumption with other inputs. Known secrets are removed from everything that is written.
 *
 * When the promise resolves, the operating system has the record: it survives a sudden end of this process. A power cut
 * may lose the last seconds of a run in progress; a finished run is on the disk.
 */
export async function openRunStore(
  start: RunStart,
  secrets: Secrets,
  encryptedRuns: EncryptedRuns = createEncryptedRuns(),
): Promise<RunStore> {
  const { directory, resume, rerun = false } = start;
  const isOld = resume || rerun;
  const { release } = await (isOld ? claimOldDirectory(directory) : claimNewDirectory(directory));
  const closing = new AsyncDisposableStack();
  closing.defer(release);
  try {
    const encryption = await openEncryption(start);
    if (encryption) encryptedRuns.set(directory, encryption.lines);
    const lines = encryptedRuns.linesOf(directory);
    const reading = rerun ? readFinishedRun : resume ? readOldRun : undefined;
    const earlier = await reading?.(start, lines);
    const opening = { start, earlier, encryption, lines, closing };
    const opened = await openJournals(opening, secrets);
    return { ...opened, release: () => closing.disposeAsync() };
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

async function readOldRun(
  start: RunStart,
  lines: StoredLines,
): Promise<InterruptedRun | undefined> {
  return (await readEarlierAttempt(start, lines)) ?? readInterruptedRun(start, lines);
}

interface Opening {
  readonly start: RunStart;
  readonly earlier: InterruptedRun | undefined;
  readonly encryption: Encryption | undefined;
  readonly lines: StoredLines;
  /** `release` ends it: the journals are closed, also those of a run that ended before it was sealed, and then the lock. */
  readonly closing: AsyncDisposableStack;
}

async function openJournals(
  opening: Opening,
  secrets: Secrets,
): Promise<Omit<RunStore, "release">> {
  const { start, earlier, encryption, lines } = opening;
  const paths = pathsIn(start.directory);
  const identity = earlier ?? start;
  let isAmended = false;
  const { rerun, attempt } = earlier ?? {};
  const plan = header(start, { ...identity, rerun, attempt }, encryption);
  const generated = await openGenerated(opening, plan, secrets);
  const samples = await openSamples(opening, secrets);
  if (attempt !== undefined) await clearResults(start.directory);
  return {
    directory: start.directory,
    runId: identity.runId,
    createdAt: identity.createdAt,
    ...keptOf(earlier),
    attempts: attempt?.taken ?? attemptsOf(start.attempt),
    recordSpent: ({ usd, tokens }) => generated.append({ object: "regrade.spent/1", usd, tokens }),
    recordAnswer: (sampleId, answer) => generated.append({ sample_id: sampleId, ...answer }),
    recordSample: (sample) => samples.append(sample),
    recordBatch: async (batch) => {
      for (const line of batchLines(batch)) await generated.append(line);
    },
    amendSample: (sample) => {
      isAmended = true;
      return samples.append(sample);
    },
    openSamples: () => openSampleReader(paths.samples, lines),
    seal: async () => {
      await samples.sync();
      await samples.close();
      await generated.close();
      if (earlier || isAmended) await compactSamples(paths.samples);
    },
    reveal: () => decryptSamples(start.directory, lines),
    finish: (parts) => writeResults(start.directory, parts, secrets),
  };
}

/** The journal of answers, with the plan as its last line so far: from then on the salt of encrypted lines is stored. */
async function openGenerated(
  { start, earlier, encryption, lines, closing }: Opening,
  plan: StoredPlan,
  { stringify }: Secrets,
): Promise<Journal> {
  const path = pathsIn(start.directory).generated;
  let bytes = earlier?.generatedBytes ?? 0;
  if (encryption !== undefined && bytes > 0) {
    const isChanged = await encryptFile(path, encryption.lines, stringify(plan));
    if (isChanged) bytes = await sizeOf(path);
  }
  const journal = await Journal.open(path, bytes, { stringify, lines });
  closing.defer(() => journal.close());
  await journal.append(plan);
  return journal;
}

/** The journal of samples. The number of bytes that a resumed run keeps is 0 if it ended before its first line. */
async function openSamples(
  { start, earlier, encryption, lines, closing }: Opening,
  { stringify }: Secrets,
): Promise<Journal> {
  const path = pathsIn(start.directory).samples;
  let bytes = earlier?.samplesBytes ?? 0;
  if (encryption !== undefined && earlier !== undefined) {
    if (await encryptFile(path, encryption.lines)) bytes = await sizeOf(path);
    await encryptInside(start.directory, encryption.lines);
  }
  const journal = await Journal.open(path, bytes, { stringify, lines });
  closing.defer(() => journal.close());
  return journal;
}

type Kept = "finished" | "answers" | "previous" | "earlier" | "reruns" | "spent" | "batches";

/** The earlier run in the directory. */
function keptOf(found: InterruptedRun | undefined): Pick<RunStore, Kept> {
  const none = { finished: new Map(), answers: new Map(), batches: new Map() };
  if (found === undefined) return none;
  const { finished, answers, batches, previous, earlier, spent, rerun } = found;
  return { finished, answers, batches, previous, earlier, spent, reruns: rerun?.reruns };
}

/** The plan that a resumed run must match. */
function header(
  start: RunStart,
  identity: Pick<InterruptedRun, "runId" | "createdAt" | "rerun" | "attempt">,
  encryption: Encryption | undefined,
): StoredPlan {
  return {
    object: "regrade.plan/1",
    run_id: identity.runId,
    input_hash: start.inputHash,
    created_at: identity.createdAt,
    ...(encryption && { salt: encryption.salt }),
    ...(identity.rerun && { rerun: identity.rerun }),
    ...(identity.attempt && { attempt: identity.attempt }),
  };
}

async function writeResults(
  directory: string,
  parts: Parameters<RunStore["finish"]>[0],
  { stringify, redact }: Secrets,
): Promise<void> {
  const paths = pathsIn(directory);
  const { regraded } = parts;
  // All files are written before the first one is renamed: on a full disk the earlier run stays as it was.
  await writeTogether(
    [
      { path: paths.scores, content: scoreLines(parts.ledger.groups(), stringify) },
      ...(regraded === undefined
        ? []
        : [{ path: paths.regraded, content: scoreLines(regraded, stringify) }]),
      { path: paths.summary, content: redact(parts.summary) },
      // This file comes last, because a directory with a run.json is a complete run.
      { path: paths.run, content: `${stringify(parts.run, 2)}\n` },
    ],
    async () => {
      // The old run.json is removed first, because it has other scores. If killed from here on, this run must be resumed.
      await rm(paths.run, { force: true });
      if (regraded === undefined) await rm(paths.regraded, { force: true });
    },
  );
  if (parts.run.status === "completed") await rm(paths.generated, { force: true });
}

/** Writes a run's summary.md again. */
export async function writeSummary(directory: string, summary: string): Promise<void> {
  await writeFileAtomically(pathsIn(directory).summary, summary);
}

function* scoreLines(
  groups: Iterable<LedgerGroup>,
  stringify: Secrets["stringify"],
): Generator<string> {
  for (const group of groups) {
    for (let i = 0; i < group.size; i += 1) yield `${stringify(group.row(i))}\n`;
  }
}

/** Rewrites a journal with one line per id, the last one, in the order of these last lines. */
async function compactSamples(path: string): Promise<void> {
  const { kind } = await inspectPath(path);
  if (kind === "missing") return;
  const last = createDigestTable();
  let lines = 0;
  for await (const { text, number } of texts(path)) {
    lines += 1;
    last.set(keyInLine(text), number);
  }
  if (lines > last.size()) await writeFileAtomically(path, lastLines(path, last));
}

async function* lastLines(path: string, last: DigestTable): AsyncGenerator<string> {
  for await (const { text, number } of texts(path)) {
    if (last.get(keyInLine(text)) === number) yield `${text}\n`;
  }
}

async function* texts(
  path: string,
): AsyncGenerator<{ readonly text: string; readonly number: number }> {
  for await (const { text, number } of readLines(path)) {
    if (text.kind === "text") yield { text: text.text, number };
  }
}
