import { createFixture } from "fs-fixture";
import { makeChange } from "../../support/change.ts";
import { regrade } from "../../support/cli.ts";
import type { Ended } from "./attack.ts";

interface Leaving {
  /** With a suite in `evals/qa.yaml`, whose gate has no baseline. */
  readonly base: Readonly<Record<string, string>>;
  /** Python that a process which the app leaves behind runs. `checked_out_again()` waits for the second round. */
  readonly leaves: string;
  /** A Python expression of what is `asked`. */
  readonly answer: string;
}

const gate =
  "gate: { confirm: always, rules: [{ metric: '*', max_drop: 0.02 }], baseline: { path: baseline } }";

/**
 * A change whose app answers wrong, and leaves a process behind that does something while the base is checked out for asking
 * both sides again.
 */
export async function betweenRounds({ base, leaves, answer }: Leaving): Promise<Ended> {
  const manifest = (base["evals/qa.yaml"] ?? "").replace(/^gate: .*$/m, gate);
  const files = { ...base, "evals/qa.yaml": manifest };
  await using recorded = await createFixture(files);
  await regrade(["run", "evals/qa.yaml", "--baseline", "none", "--out", "baseline"], {
    in: recorded.path,
  });
  const names = ["run.json", "scores.jsonl", "samples.jsonl"];
  const texts = names.map(async (name) => [
    `evals/baseline/${name}`,
    await recorded.readFile(`baseline/${name}`, "utf8"),
  ]);
  const app = `import glob, json, os, re, sys, time
temporary = os.environ["TMPDIR"]
asked = re.search(r"(\\d+\\+\\d+)", sys.stdin.read()).group(1)
def checked_out_again():
    end = time.monotonic() + 60
    while len(glob.glob(temporary + "/regrade-base-*")) < 2 and time.monotonic() < end:
        time.sleep(0.001)
if not os.path.exists(temporary + "/left"):
    open(temporary + "/left", "w").close()
    if os.fork() == 0:
        os.setsid()
        for stream in (0, 1, 2):
            os.close(stream)
${leaves.trim().replaceAll(/^/gm, "        ")}
        os._exit(0)
print(${answer})
`;
  await using fixture = await makeChange({
    base: { ...files, ...Object.fromEntries(await Promise.all(texts)) },
    head: { "evals/app.py": app },
  });
  // A folder of its own, where no other test's files are found.
  await using temporary = await createFixture({});
  const argv = ["run", "evals/qa.yaml", "--out", "out", "--policy-from", "main"];
  const env = { CI: "true", TMPDIR: temporary.path };
  const { code, stdout } = await regrade(argv, { in: fixture.path, env });
  return { code, told: stdout };
}
