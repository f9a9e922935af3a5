import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { median, startTimes } from "./measure.ts";
import { atMost, milliseconds, type Row } from "./table.ts";

interface StartBench {
  /** Folder for the bench's files. */
  readonly folder: string;
  readonly root: string;
  readonly quick: boolean;
}

/** Time of commands that have little to do, compared with Node alone: what a user waits for before anything is asked. */
export async function starting({ folder, root, quick }: StartBench): Promise<Row[]> {
  const cli = [process.execPath, join(root, "dist", "cli.mjs")];
  const quickstart = join(root, "examples", "quickstart", "suite.yaml");
  const directory = join(folder, "starting");
  await writeBuiltinSuite(directory);
  const python = ["--quiet", "--python", interpreter()];
  const times = await startTimes(
    quick ? 5 : 15,
    {
      bare: [process.execPath, "-e", "0"],
      help: [...cli, "--help"],
      post: [process.execPath, join(root, "dist", "post.mjs")],
      validate: [...cli, "validate", quickstart, ...python],
      builtins: [...cli, "run", "suite.json", ...python],
    },
    // The quickstart has a warning.
    { directory, quiet: true },
  );
  const row = (what: string, name: keyof typeof times, limit: number): Row =>
    atMost(limit, {
      what: `${what} : bare Node`,
      ratio: median(times[name]) / median(times.bare),
      seen: `${milliseconds(median(times[name]))} : ${milliseconds(median(times.bare))}`,
    });
  return [
    row("regrade --help", "help", 3),
    row("the action's post step", "post", 2.5),
    row("regrade validate on the quickstart", "validate", 8),
    row("a run of three samples and four built-in graders", "builtins", 14),
  ];
}

/** Each built-in grader has a process of its own. */
async function writeBuiltinSuite(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const rows = ["a", "b", "c"].map((id) => ({ id, question: id, answer: id, output: id }));
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  await writeFile(join(directory, "data.jsonl"), lines);
  const graders = ["exact_match", "contains", "token_f1", "json_valid"].map((type) => ({ type }));
  const replay = { file: "data.jsonl", output_field: "output", id_field: "id" };
  const suite = {
    name: "starting",
    dataset: "data.jsonl",
    prompt_template: "{{question}}",
    target_template: "{{answer}}",
    graders,
    candidates: { recorded: { replay } },
  };
  await writeFile(join(directory, "suite.json"), JSON.stringify(suite));
}

/** The interpreter itself: the launcher of a version manager (pyenv's takes 200 ms) must not be measured. */
function interpreter(): string {
  return execFileSync("python3", ["-c", "import sys; print(sys.executable)"]).toString().trim();
}
