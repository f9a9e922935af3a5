import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Both halves of the young generation together; V8 doubles them on its way there. */
const youngEnoughBytes = 32 * 1024 * 1024;
/** Below this size the old generation may grow to four times its live size. */
const oldEnoughBytes = 20 * 1024 * 1024;
const lookEveryMilliseconds = 20;

/**
 * Settings for runs of seconds to minutes next to graders that need the same cores. V8 has no flag that changes its
 * initial limits after the start, but it reads these whenever it collects garbage, or considers compiling.
 * `isAlone`: no graders run beside it, and most of what it has in memory stays: to collect that more often would take a tenth of
 * a comparison of a million samples, and hardly save memory.
 */
export function settleV8({ isAlone }: { readonly isAlone: boolean }): void {
  if (!isAlone) limitOldGrowth();
  limitYoungGrowth();
  compileLater();
}

/**
 * V8 adapts its memory use to the machine: with 24 GB it lets the old generation grow to four times its live size. A
 * factor of 1.7 from 20 MB on costs 100,000 recorded samples no measurable time. From 32 MB on it comes too late: a heap of
 * 29 MB may still grow fourfold, 50 MB more. 1.4 saves 9 MB more and takes a tenth longer. A small heap may grow: this saves two
 * of four full collections in a run of 10,000 samples, each of which takes 50 ms of processor time.
 */
function limitOldGrowth(): void {
  setFlagsFromString("--heap-growing-percent=300");
  runOnceWhen(
    () => oldBytes() >= oldEnoughBytes,
    () => setFlagsFromString("--heap-growing-percent=70"),
  );
}

/**
 * V8 lets the young generation grow to 64 MB. With a limit of 32 MB a run of 100,000 recorded samples needs 70 MB less;
 * with 16 MB another 10 MB less and 3 % more time; with its initial 2 MB no less memory, because samples in flight then
 * outlive the young generation, and takes a quarter longer. With 64 MB 10,000 requests to a model take no less time: a
 * third fewer collections, and more that is not in a cache.
 */
function limitYoungGrowth(): void {
  runOnceWhen(
    () => bytesOf("new_space", "space_size") >= youngEnoughBytes,
    () => setFlagsFromString("--semi-space-growth-factor=1"),
  );
}

function runOnceWhen(isTime: () => boolean, then: () => void): void {
  const timer = setInterval(() => {
    if (!isTime()) return;
    then();
    clearInterval(timer);
  }, lookEveryMilliseconds).unref();
}

/** Texts and lists of more than some 100 KB have a space of their own, and are old from the start. */
function oldBytes(): number {
  return bytesOf("old_space", "space_used_size") + bytesOf("large_object_space", "space_used_size");
}

function bytesOf(name: string, what: "space_size" | "space_used_size"): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === name)?.[what] ?? 0;
}

/**
 * TurboFan, V8's last and slowest compiler, compiles a function after 3,000 calls of average size: in a run of 10,000
 * samples 130 functions, which takes a third of a second of the cores that graders need, and the run ends before it pays
 * off. After 60,000 calls it compiles only those that a long run or a resampling depends on; 100,000 recorded samples
 * take no longer.
 */
function compileLater(): void {
  setFlagsFromString("--invocation-count-for-turbofan=60000");
}
