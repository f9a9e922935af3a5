import type { FsFixture } from "fs-fixture";
import { git, makeChange, runChange } from "../../support/change.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import { worse, type Attack, type Ended } from "./attack.ts";

const lowered = suiteFiles({ ...worse, gate: "{ rules: [{ metric: exact_match, min: 0.5 }] }" });

interface Story {
  readonly head?: Readonly<Record<string, string>>;
  readonly from?: string;
  readonly meanwhile?: (fixture: FsFixture) => unknown;
}

/** A clone whose remote has the base as its `main`. */
async function judged({ head = lowered, from = "origin/main", meanwhile }: Story): Promise<Ended> {
  const fixture = await makeChange({ base: suiteFiles(), head });
  try {
    git(fixture.path, "remote", "add", "origin", "https://example.org/x");
    git(fixture.path, "update-ref", "refs/remotes/origin/main", "main");
    meanwhile?.(fixture);
    const { code, stdout, stderr } = await runChange(fixture, undefined, from);
    return { code, told: `${stdout}\n${stderr}` };
  } finally {
    await fixture.rm();
  }
}

let kept: Promise<Ended> | undefined;
const honest = (): Promise<Ended> => (kept ??= judged({ head: { "notes.txt": "x" } }));

const move =
  (ref: string) =>
  ({ path }: FsFixture): string =>
    git(path, "update-ref", ref, "change");

/** A change takes the name of the base for itself. */
export const names: readonly Attack[] = [
  ...["refs/tags/origin/main", "refs/heads/origin/main", "refs/tags/refs/remotes/origin/main"].map(
    (ref): Attack => ({
      attack: `calls itself like the remote's main, by ${ref}`,
      control: honest,
      run: () => judged({ meanwhile: move(ref) }),
      code: 1,
      says: "By the base's policy: fail; by its own: pass.",
    }),
  ),
  {
    attack: "is checked out as main, beside the remote's",
    control: honest,
    run: () => judged({ from: "main", meanwhile: move("refs/heads/main") }),
    code: 2,
    says: "--policy-from main may be several commits: refs/remotes/origin/main",
  },
  {
    attack: "tags itself with the remote's name, where the remote's branch was not fetched",
    control: honest,
    run: () =>
      judged({
        meanwhile: (fixture) => {
          move("refs/tags/origin/main")(fixture);
          git(fixture.path, "update-ref", "-d", "refs/remotes/origin/main");
        },
      }),
    code: 2,
    says: "there is no such commit here",
  },
  {
    attack: "brings a folder that is called like a base that is not there",
    control: honest,
    run: () =>
      judged({
        head: {
          ...lowered,
          ...Object.fromEntries(
            Object.entries(lowered).map(([path, text]) => [`origin/old/${path}`, text]),
          ),
        },
        from: "origin/old",
      }),
    code: 2,
    says: "the folder of that name is in git: a change could bring it",
  },
];
