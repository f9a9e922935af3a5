import { rm } from "node:fs/promises";
import path from "node:path";
import { makeTemporaryFolder } from "../io/files/temporary.ts";
import { runCommand } from "../io/processes/command.ts";
import type { DoctorReport } from "../model/doctor.ts";
import { readTriedFence } from "../model/ports/fence.ts";
import { readEscape } from "./doctor-programs.ts";
import { openEscapeTargets } from "./escape-targets.ts";
import type { PythonOptions } from "./pool.ts";

/** Seconds to try the sandbox and all escape attempts. */
const tryingSeconds = 60;

/** Starts the sandbox of candidates, and lets a program in it make each escape attempt. Refuses nothing. */
export async function tryFence(
  python: string,
  { packageDirectory, env, signal }: PythonOptions,
): Promise<NonNullable<DoctorReport["fence"]>> {
  const home = await makeTemporaryFolder("regrade-fence-");
  const targets = await openEscapeTargets();
  const settings = JSON.stringify({
    read: [packageDirectory],
    write: [home],
    listed: [path.dirname(packageDirectory)],
    programs: [python],
    copied: [],
    homes: [],
    around: [],
    withheld: [],
  });
  const run = async (words: readonly string[]): Promise<string> => {
    const end = await runCommand({
      argv: [python, "-I", "-S", path.join(packageDirectory, "fence.py"), "1", settings, ...words],
      directory: home,
      env: { PATH: env["PATH"] ?? "", HOME: home, TMPDIR: home },
      input: "",
      timeoutSeconds: tryingSeconds,
      signal: signal ?? new AbortController().signal,
    });
    if (end.kind === "exited" && end.code === 0) return end.stdout;
    const said = "stderr" in end ? end.stderr.trim() : "";
    return JSON.stringify({ kind: "absent", why: said || `it ended as ${end.kind}` });
  };
  try {
    const tried = readTriedFence(await run([]));
    if (tried.kind !== "held") {
      const why = tried.kind === "absent" ? tried.why : tried.holds;
      return { level: "none", missing: [why], holds: false, attempts: [] };
    }
    const program = path.join(packageDirectory, "fencing/attempts.py");
    const said = await run([python, "-I", program, JSON.stringify(targets.targets)]);
    const attempts = said.trim().split("\n").flatMap(readEscape);
    // Limits that the kernel can't enforce are in `missing`; they are no reason to refuse.
    const known = tried.report.missing.length > 0 ? ["signal the run"] : [];
    const holds =
      attempts.length > 1 &&
      attempts.every(({ escape, outcome }) => outcome !== "out" || known.includes(escape));
    return { ...tried.report, holds, attempts };
  } finally {
    await targets.close();
    await rm(home, { recursive: true, force: true }).catch(() => undefined);
  }
}
