import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Records examples/quickstart/baseline: a run of the classifier before the change that the quickstart judges. That
 * version read whole words in every alphabet, and lacked a few words about billing.
 */
async function recordBaseline(root: string): Promise<void> {
  const example = join(root, "examples", "quickstart");
  const folder = await mkdtemp(join(tmpdir(), "regrade-quickstart-"));
  try {
    await cp(example, folder, { recursive: true, filter: (path) => !path.endsWith("baseline") });
    const app = join(folder, "app", "classify.mjs");
    await writeFile(app, earlier(await readFile(app, "utf8")));
    const run = join(folder, "run");
    const argv = [join(root, "dist", "cli.mjs"), "run", "suite.yaml", "--baseline", "none"];
    await promisify(execFile)(process.execPath, [...argv, "--out", run, "--quiet"], {
      cwd: folder,
    });
    const baseline = join(example, "baseline");
    await rm(baseline, { recursive: true, force: true });
    await mkdir(baseline);
    for (const file of ["run.json", "scores.jsonl", "samples.jsonl"])
      await cp(join(run, file), join(baseline, file));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The classifier before the change. */
function earlier(source: string): string {
  return replaceOnce(
    replaceOnce(source, "/\\w+/g", "/\\p{L}+/gu"),
    "fee debit standing transfer",
    "",
  );
}

function replaceOnce(text: string, found: string, replacement: string): string {
  if (!text.includes(found)) throw new Error(`app/classify.mjs no longer has ${found}`);
  return text.replace(found, () => replacement);
}

await recordBaseline(join(import.meta.dirname, ".."));
