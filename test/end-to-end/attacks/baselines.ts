import { readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { regrade } from "../../support/cli.ts";
import { judgeChange, type Change } from "../../support/change.ts";
import { suiteFiles, type SuiteParts } from "../../support/suite-files.ts";
import { worse, type Attack, type Ended } from "./attack.ts";

type Files = Readonly<Record<string, string>>;

async function judged(change: Change, directory = "runs/base"): Promise<Ended> {
  const argv = directory === "" ? {} : { argv: ["evals/qa.yaml", "--baseline", directory] };
  await using judgement = await judgeChange({ ...change, ...argv });
  const { end, summary } = judgement;
  return { code: end.code, told: `${end.stdout}\n${end.stderr}\n${summary}` };
}

const gate = "{ max_drop: 0.02 }";
const declared = "{ max_drop: 0.02, baseline: { path: ../runs/base } }";

/** A run of the suite, as the files of a folder. */
async function recordRun(parts: SuiteParts): Promise<(folder: string) => Files> {
  await using fixture = await createFixture(suiteFiles({ ...parts, gate }));
  const argv = ["run", "evals/qa.yaml", "--baseline", "none", "--out", "out"];
  await regrade(argv, { in: fixture.path });
  const names = ["run.json", "scores.jsonl", "samples.jsonl", "summary.md"];
  const texts = names.map((name) => readFile(fixture.getPath(`out/${name}`), "utf8"));
  const files = await Promise.all(texts);
  return (folder) =>
    Object.fromEntries(names.map((name, i) => [`${folder}/${name}`, files[i] ?? ""]));
}

let recorded: Promise<readonly [(folder: string) => Files, (folder: string) => Files]> | undefined;
const record = (): NonNullable<typeof recorded> =>
  (recorded ??= Promise.all([recordRun({}), recordRun(worse)]));

/** What the base is, and what a change with worse answers makes of it. */
async function story(
  more: (runs: { good: (folder: string) => Files; bad: (folder: string) => Files }) => {
    readonly base: Change["base"];
    readonly head: Change["head"];
  },
  asked: { readonly gate?: string; readonly directory?: string } = {},
): Promise<Ended> {
  const [good, bad] = await record();
  const { base, head } = more({ good, bad });
  const parts = { gate: asked.gate ?? gate };
  return judged(
    {
      base: { ...suiteFiles(parts), ...base },
      head: { ...suiteFiles({ ...parts, ...worse }), ...head },
    },
    asked.directory,
  );
}

let unchanged: Promise<Ended> | undefined;
/** Nothing but a file that judges nothing is changed. */
const honest = (): Promise<Ended> =>
  (unchanged ??= record().then(([good]) =>
    judged({
      base: { ...suiteFiles({ gate }), ...good("runs/base") },
      head: { "notes.txt": "x" },
    }),
  ));

const broke = "cases broke, the gate fails";
const notYet = "the one that this change brings counts once it is there";

/** A change brings the run that it is compared with. */
export const baselines: readonly Attack[] = [
  {
    attack: "overwrites the baseline that the job names",
    control: honest,
    run: () => story(({ good, bad }) => ({ base: good("runs/base"), head: bad("runs/base") })),
    code: 1,
    says: broke,
  },
  {
    attack: "makes a link to a run of its own of the baseline that the job names",
    control: honest,
    run: () =>
      story(({ good, bad }) => ({
        base: good("runs/base"),
        head: { "runs/base": { link: "own" }, ...bad("runs/own") },
      })),
    code: 1,
    says: broke,
  },
  {
    attack: "has the job name a run that only the change has",
    control: honest,
    run: () =>
      story(({ good, bad }) => ({ base: good("runs/base"), head: bad("runs/own") }), {
        directory: "runs/own",
      }),
    code: 3,
    says: notYet,
  },
  {
    attack: "has the job name a link to a run that only the change has",
    control: honest,
    run: () =>
      story(
        ({ good, bad }) => ({
          base: good("runs/base"),
          head: { "to-own": { link: "runs" }, ...bad("runs/own") },
        }),
        { directory: "to-own/own" },
      ),
    code: 3,
    says: notYet,
  },
  {
    attack: "overwrites the baseline that the gate names",
    control: honest,
    run: () =>
      story(({ good, bad }) => ({ base: good("runs/base"), head: bad("runs/base") }), {
        gate: declared,
        directory: "",
      }),
    code: 1,
    says: broke,
  },
  {
    attack: "brings the baseline that the base's gate names, and the base does not have",
    control: honest,
    run: () =>
      story(({ bad }) => ({ base: {}, head: bad("runs/base") }), {
        gate: declared,
        directory: "",
      }),
    code: 3,
    says: notYet,
  },
];
