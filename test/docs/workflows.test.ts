import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

/** The workflows that are here, and those that users copy. */

const root = join(import.meta.dirname, "../..");
const paths = [".github/workflows", "examples/workflows"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
);

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly if?: string;
  readonly needs?: unknown;
  readonly permissions?: unknown;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly on?: unknown;
  readonly concurrency?: Readonly<Record<string, unknown>>;
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const read = (path: string): Workflow => parse(readFileSync(join(root, path), "utf8")) as Workflow;
const jobsOf = (path: string): readonly Job[] => Object.values(read(path).jobs);

const shown = ["README.md", "docs", "examples", "src/cli/init", ".github/workflows"].flatMap(
  (path) =>
    path.endsWith(".md")
      ? [path]
      : readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
          .filter((name) => /\.(?:md|ya?ml|ts)$/.test(name))
          .map((name) => `${path}/${name}`),
);

it("no workflow that is shown keeps the check of another base, by a filter or by not hearing of it", () => {
  const heard = shown.flatMap((path) => {
    const parts = readFileSync(join(root, path), "utf8").split(/\bpull_request:\s/);
    // Its types end at the first bracket.
    return parts.slice(1).map((part) => ({ path, part: part.slice(0, part.search(/[\]}]/)) }));
  });
  expect(heard.length).toBeGreaterThan(7);
  for (const { path, part } of heard) {
    expect(part, path).toMatch(/types: \[(?:.*\bedited\b|\$\{pullTypes)/);
    expect(part, path).not.toContain("branches");
  }
});

describe.each(paths)("%s", (path) => {
  it("gives no permission to a job that does not ask for it", () => {
    expect(read(path).permissions).toEqual({});
  });

  it("pins every action by its commit, but our own", () => {
    const used = jobsOf(path).flatMap(({ steps = [] }) => steps.flatMap(({ uses }) => uses ?? []));
    for (const each of used)
      expect(each).toMatch(/^(?:[\w.-]+\/[\w./-]+@[0-9a-f]{40}|OWNER\/regrade@v1|\.\/.*)$/);
  });

  it("hears of all that may change a verdict, and cancels a pull request's run only for a new push", () => {
    if (!/examples\/workflows\/evals(?:-results|-sharded)?\.yml$/.test(path)) return;
    const { on, concurrency } = read(path);
    const types = ["opened", "synchronize", "reopened", "labeled", "unlabeled", "edited"];
    const push = { branches: ["main"] };
    expect(on).toEqual({
      pull_request: { types },
      merge_group: null,
      push,
      workflow_dispatch: null,
    });
    expect(concurrency?.["cancel-in-progress"]).toBe("${{ github.event.action == 'synchronize' }}");
  });

  it("judges shards also where one failed: a required check that is skipped would pass", () => {
    const merging = jobsOf(path).filter(({ steps = [] }) =>
      steps.some((step) => step.with?.["mode"] === "merge"),
    );
    for (const job of merging)
      expect(job).toMatchObject({ if: "${{ !cancelled() }}", needs: "shard" });
    expect(merging).toHaveLength(/regrade\.yml$|sharded/.test(path) ? 1 : 0);
  });
});
