import { describe, expect, it } from "vitest";
import type { Artifact } from "../support/github/artifacts.ts";
import {
  recordProject,
  type Files,
  type Project,
  type PullOptions,
  type PushOptions,
} from "../support/github/project.ts";
import { listFork, reportFiles, runReport } from "../support/github/fork-report.ts";
import type { ActionEnd } from "../support/github/run-action.ts";
import { runOf } from "../support/github/run-of.ts";
import { unzip } from "../support/github/unzip.ts";
import { makeZip } from "../support/github/zip.ts";
import { itSome } from "../support/rows.ts";

/**
 * The right baseline: that of this suite, this job and this leg, whatever was renamed since; dist/main.mjs against the stand-in
 * of GitHub. A case a row, printed.
 */

const cases = 40;
const evals = "evals/qa.yaml";

interface SuiteParts {
  readonly path?: string;
  readonly name?: string;
  /** Wrong answers of the slot `app`, and of the slot `other`. */
  readonly wrong?: number;
  readonly otherWrong?: number;
}

/** A suite with its own data beside it. Two legs of a matrix run a slot each. */
function suite(parts: SuiteParts = {}): Files {
  const { path = evals, name = "qa", wrong = 0, otherWrong = 20 } = parts;
  const folder = path.slice(0, path.lastIndexOf("/"));
  const rows = Array.from({ length: cases }, (_, i) => ({
    id: `c${i}`,
    q: `${i}+1`,
    a: `${i + 1}`,
  }));
  const outputs = (count: number): string =>
    lines(rows.map(({ id, a }, i) => ({ case_id: id, output_text: i < count ? "no" : a })));
  return {
    [path]: [
      `name: ${name}`,
      "dataset: { file: data/qa.jsonl, id_field: id }",
      'prompt_template: "What is {{q}}?"',
      'target_template: "{{a}}"',
      "grader: exact_match",
      "candidates: { app: { replay: app.jsonl }, other: { replay: other.jsonl } }",
      "gate: { max_drop: 0.02 }",
      "",
    ].join("\n"),
    [`${folder}/data/qa.jsonl`]: lines(rows),
    [`${folder}/app.jsonl`]: outputs(wrong),
    [`${folder}/other.jsonl`]: outputs(otherWrong),
  };
}

function lines(list: readonly object[]): string {
  return list.map((each) => `${JSON.stringify(each)}\n`).join("");
}

const app = { candidates: "app" };
const workflow = (file: string): Readonly<Record<string, string>> => ({
  GITHUB_WORKFLOW_REF: `owner/app/.github/workflows/${file}@refs/heads/main`,
});
const job = (id: string): Readonly<Record<string, string>> => ({ GITHUB_JOB: id });
const matrix = (model: string): string => JSON.stringify({ model });
/** The legs of a matrix, at different levels: `b` has half of its cases wrong. */
const legs = {
  a: { leg: matrix("a"), candidates: "app" },
  b: { leg: matrix("b"), candidates: "other" },
};
const services = { a: "services/a/evals/qa.yaml", b: "services/b/evals/qa.yaml" };

/** Two services whose suites have one name, each in a job of its own. */
const monorepo = {
  ...suite({ path: services.a }),
  ...suite({ path: services.b, wrong: 20 }),
};
const inService = (letter: "a" | "b"): Partial<PushOptions & PullOptions> => ({
  inputs: { ...app, suite: services[letter] },
  env: job(letter),
});

/** One workflow run whose jobs run one after the other. */
async function pushAll(
  project: Project,
  jobs: readonly Partial<PushOptions>[],
): Promise<readonly ActionEnd[]> {
  const ends: ActionEnd[] = [];
  const runId = 60 + project.github.rest.state.runs.length;
  for (const [i, each] of jobs.entries())
    ends.push(await project.push("main", { runId, ...(i > 0 && { listed: null }), ...each }));
  return ends;
}

const plain = recordProject(suite(), (project) => project.push("main", { inputs: app }));
const inMatrix = recordProject(suite(), (project) =>
  pushAll(project, [{ inputs: legs.a }, { inputs: legs.b }]),
);
const ofServices = recordProject(monorepo, (project) =>
  pushAll(project, [inService("a"), inService("b")]),
);

/** As a version without keys left it. */
function forgetKeys({ github }: Project): void {
  const scores = github.artifacts.all.filter(({ name }) => name.includes("~scores-"));
  for (const [i, artifact] of scores.entries()) {
    const old: Partial<Artifact> = { name: `regrade-qa-scores${i === 0 ? "" : `-${i + 1}`}` };
    const files = Object.entries(unzip(artifact.content ?? Buffer.from("")));
    const without = files.map(([name, content]) => {
      if (name !== "run.json") return { name, content };
      const { key: _, ...run } = JSON.parse(content.toString()) as Record<string, unknown>;
      return { name, content: JSON.stringify(run) };
    });
    Object.assign(artifact, old, { content: makeZip(without), digest: undefined });
  }
}

interface Row {
  readonly name: string;
  readonly from: () => Promise<Project>;
  /** What happened to what the base left. */
  readonly before?: (project: Project) => void | Promise<unknown>;
  readonly change: Files;
  readonly pull?: Partial<PullOptions>;
  readonly verdict: "pass" | "fail" | "inconclusive" | "neutral";
  /** Of the reason why this baseline was taken, or of why there is none and what to do. */
  readonly says: string;
}

const half = suite({ wrong: 20 });
const moved = { "evals/qa.yaml": null, ...suite({ path: "evals/support.yaml", wrong: 20 }) };

const rows: readonly Row[] = [
  {
    name: "nothing renamed",
    from: plain,
    change: half,
    verdict: "fail",
    says: "the base commit's own run",
  },
  {
    name: "a renamed job",
    from: plain,
    change: half,
    pull: { env: job("gate") },
    verdict: "fail",
    says: "the base commit's own run, of evals/qa.yaml, job evals, no leg",
  },
  {
    name: "a job that has a matrix now",
    from: plain,
    change: half,
    pull: { inputs: { ...app, leg: matrix("a") } },
    verdict: "fail",
    says: "of evals/qa.yaml, job evals, no leg",
  },
  {
    name: "a moved manifest",
    from: plain,
    change: moved,
    verdict: "fail",
    says: "the base commit's own run",
  },
  {
    name: "a renamed suite",
    from: plain,
    change: suite({ name: "support", wrong: 20 }),
    verdict: "fail",
    says: "the base commit's own run",
  },
  {
    name: "a renamed workflow",
    from: plain,
    change: half,
    pull: { env: workflow("gate.yml") },
    verdict: "fail",
    says: "of .github/workflows/evals.yml, as .github/workflows/gate.yml has left none there",
  },
  {
    name: "a renamed workflow, job and manifest",
    from: plain,
    change: moved,
    pull: { env: { ...workflow("gate.yml"), ...job("gate") } },
    verdict: "fail",
    says: "of .github/workflows/evals.yml",
  },
  {
    name: "a job that moved to a workflow with runs",
    from: plain,
    before: async (project) => {
      const head_sha = await project.sha("main");
      const known = { event: "push", conclusion: "success", head_branch: "main", head_sha };
      project.github.rest.state.runs.push({
        id: 50,
        ...known,
        path: ".github/workflows/tests.yml",
      });
    },
    change: half,
    pull: { env: workflow("tests.yml") },
    verdict: "fail",
    says: "of .github/workflows/evals.yml, as .github/workflows/tests.yml has left none there",
  },
  {
    name: "a new workflow, and two others have the suite",
    from: plain,
    before: (project) =>
      pushAll(project, [
        {
          inputs: app,
          env: workflow("other.yml"),
          listed: { path: ".github/workflows/other.yml" },
        },
      ]),
    change: half,
    pull: { env: workflow("gate.yml") },
    verdict: "inconclusive",
    says: "several other workflows have runs with this suite there",
  },
  {
    name: "matrix: leg a falls to the level of b",
    from: inMatrix,
    change: half,
    pull: { inputs: legs.a },
    verdict: "fail",
    says: "the base commit's own run",
  },
  {
    name: "matrix: leg b stays where it was",
    from: inMatrix,
    change: { "README.md": "one" },
    pull: { inputs: legs.b },
    verdict: "pass",
    says: "the base commit's own run",
  },
  {
    name: "matrix: its keys in another order, spaced",
    from: inMatrix,
    change: half,
    pull: { inputs: { ...legs.a, leg: '{\n  "model": "a"\n}' } },
    verdict: "fail",
    says: "the base commit's own run",
  },
  {
    name: "matrix: a new leg",
    from: inMatrix,
    change: half,
    pull: { inputs: { ...legs.a, leg: matrix("c") } },
    verdict: "inconclusive",
    says: "`baseline: none`",
  },
  {
    name: "matrix: a renamed job",
    from: inMatrix,
    change: half,
    pull: { inputs: legs.a, env: job("gate") },
    verdict: "fail",
    says: 'job evals, leg {"model":"a"}',
  },
  {
    name: "matrix: no matrix any more",
    from: inMatrix,
    change: half,
    pull: { inputs: app },
    verdict: "inconclusive",
    says: "or its input `leg` the value, of the one to compare with",
  },
  {
    name: "monorepo: service a gets worse",
    from: ofServices,
    change: suite({ path: services.a, wrong: 20 }),
    pull: inService("a"),
    verdict: "fail",
    says: "the base commit's own run",
  },
  {
    name: "monorepo: service b stays where it was",
    from: ofServices,
    change: suite({ path: services.a, wrong: 20 }),
    pull: inService("b"),
    verdict: "pass",
    says: "the base commit's own run",
  },
  {
    name: "monorepo: both jobs renamed",
    from: ofServices,
    change: suite({ path: services.a, wrong: 20 }),
    pull: { ...inService("a"), env: job("c") },
    verdict: "fail",
    says: "of services/a/evals/qa.yaml, job a, no leg",
  },
  {
    name: "monorepo: a new service with that name",
    from: ofServices,
    change: suite({ path: "services/c/evals/qa.yaml", wrong: 20 }),
    pull: { inputs: { ...app, suite: "services/c/evals/qa.yaml" }, env: job("c") },
    verdict: "inconclusive",
    says: "Give this suite a name of its own",
  },
  {
    name: "monorepo: a new service with its own name",
    from: ofServices,
    change: suite({ path: "services/c/evals/qa.yaml", name: "qa-c", wrong: 20 }),
    pull: { inputs: { ...app, suite: "services/c/evals/qa.yaml" }, env: job("c") },
    verdict: "neutral",
    says: "left no scores of qa-c",
  },
  {
    name: "old artifacts, without a key",
    from: plain,
    before: forgetKeys,
    change: half,
    verdict: "fail",
    says: "the base commit's own run",
  },
  {
    name: "old artifacts of two services",
    from: ofServices,
    before: forgetKeys,
    change: suite({ path: services.a, wrong: 20 }),
    pull: inService("a"),
    verdict: "fail",
    says: "the base commit's own run",
  },
  {
    name: "old artifacts of two legs",
    from: inMatrix,
    before: forgetKeys,
    change: half,
    pull: { inputs: legs.a },
    verdict: "inconclusive",
    says: "regrade-qa-scores; regrade-qa-scores-2",
  },
];

/** Why this baseline, or why none. */
function sentenceOf(end: ActionEnd): string {
  const { baseline } = runOf(end);
  if (baseline) return baseline.reason ?? "";
  const line = end.stdout
    .split("\n")
    .find((each) => /no baseline|nothing was compared/i.test(each));
  return line?.trim() ?? "";
}

const codes = { pass: 0, neutral: 0, fail: 1, inconclusive: 3 } as const;

describe("a pull request is compared with its own baseline, or says what to do", () => {
  itSome(rows)("$name", async ({ name, from, before, change, pull, verdict, says }) => {
    await using project = await from();
    await before?.(project);
    await project.commit("change", change);
    const end = await project.pull("change", { inputs: app, ...pull });
    const said = sentenceOf(end);
    console.log(`${name.padEnd(46)} ${verdict.padEnd(12)} exit ${end.code}  ${said}`);
    const code = String(codes[verdict]);
    expect(end.outputs, end.stdout).toMatchObject({ verdict, "exit-code": code });
    expect(end.code).toBe(["pass", "neutral"].includes(verdict) ? 0 : Number(code));
    expect(said, end.stdout).toContain(says);
    expect(project.github.rest.violations).toEqual([]);
  });
});

type Inputs = Readonly<Record<string, string>>;

/** Two jobs of one workflow run, on a pull request that changes nothing. */
async function twice(
  project: Project,
  first: Inputs,
  second: Inputs,
): Promise<readonly [ActionEnd, ActionEnd]> {
  await project.commit("change", { "README.md": "one" });
  const pull = (inputs: Inputs): Promise<ActionEnd> =>
    project.pull("change", { runId: 300, inputs });
  return [await pull(first), await pull(second)];
}

describe("two jobs of one workflow run under one key", () => {
  it("the second is refused with the input to add, in its check and comment too, and by a re-run again", async () => {
    await using project = await plain();
    const [first, second] = await twice(project, app, { candidates: "other" });
    expect(first.outputs, first.stdout).toMatchObject({ verdict: "pass" });
    expect(second.outputs, second.stdout).toMatchObject({ verdict: "error", "exit-code": "2" });
    expect(second.code).toBe(2);
    const said = "another job or step of this workflow run has run the suite qa as the same one";
    const { state } = project.github.rest;
    const check = state.checks.at(-1)?.output.summary ?? "";
    for (const text of [second.stdout, second.summary, check]) {
      expect(text).toContain(said);
      expect(text).toContain("`leg`");
    }
    expect(state.checks.at(-1)).toMatchObject({ name: "Regrade: qa", conclusion: "failure" });
    project.github.artifacts.nextAttempt();
    const again = await project.pull("change", {
      runId: 300,
      inputs: { candidates: "other" },
      env: { GITHUB_RUN_ATTEMPT: "2" },
    });
    expect(again.outputs, again.stdout).toMatchObject({ verdict: "error", "exit-code": "2" });
  });

  it(
    "are told apart by that input, and by shards of one matrix they are not mistaken",
    { tags: "long" },
    async () => {
      await using project = await plain();
      for (const end of await twice(project, { ...app, leg: "one" }, { ...app, leg: "two" }))
        expect(end.outputs, end.stdout).toMatchObject({ verdict: "pass" });
      for (const shard of ["1/2", "2/2"]) {
        const asked = { runId: 301, inputs: { ...app, shard } };
        const end = await project.pull("change", asked);
        expect(end.code, end.stdout).toBe(0);
      }
    },
  );

  it("leave no baseline that one of them could take for its own", async () => {
    await using project = await plain();
    await project.commit("main", { "README.md": "one" });
    await pushAll(project, [{ inputs: app }, { inputs: { candidates: "other" } }]);
    await project.commit("change", half);
    const end = await project.pull("change", { inputs: app });
    expect(end.outputs, end.stdout).toMatchObject({ verdict: "inconclusive" });
    expect(sentenceOf(end)).toContain("2 runs of qa under one key");
    expect(sentenceOf(end)).toContain("an input `leg` of its own");
  });
});

describe("a leg whose last run on the base is missing", () => {
  it("takes its own older one, and not another leg's newer one", async () => {
    await using project = await inMatrix();
    const older = await project.sha("main");
    await project.commit("main", { "README.md": "one" });
    await pushAll(project, [{ inputs: legs.b }]);
    await project.commit("change", suite({ wrong: 20 }));
    const end = await project.pull("change", { inputs: legs.a });
    expect(end.outputs, end.stdout).toMatchObject({ verdict: "fail", "baseline-sha": older });
  });
});

describe("a push, which has no base to read", () => {
  const pushes: readonly (readonly [string, Files, Partial<PushOptions>])[] = [
    ["a moved manifest", moved, {}],
    ["a renamed suite", suite({ name: "support", wrong: 20 }), {}],
    ["a renamed job", half, { env: job("gate") }],
    ["a renamed workflow", half, { env: workflow("gate.yml") }],
  ];
  itSome(pushes)("finds the run before it: %s", async (name, change, more) => {
    await using project = await plain();
    const before = await project.sha("main");
    await project.commit("main", change);
    const end = await project.push("main", { inputs: app, ...more });
    console.log(`push, ${name.padEnd(40)} exit ${end.code}  ${sentenceOf(end)}`);
    expect(end.outputs, end.stdout).toMatchObject({ verdict: "fail", "baseline-sha": before });
  });
});

describe("a re-run of one of two jobs", () => {
  it(
    "is not taken for a first attempt where its own was not kept, though the other's was",
    { tags: "long" },
    async () => {
      await using project = await ofServices();
      await project.commit("change", { "README.md": "one" });
      for (const letter of ["a", "b"] as const)
        await project.pull("change", { runId: 300, ...inService(letter) });
      const kept = project.github.artifacts.all.findLast(
        ({ name, run }) => run === "run-300" && name.startsWith("regrade-attempt~services-b"),
      );
      expect(kept).toBeDefined();
      if (kept) kept.content = undefined;
      project.github.artifacts.nextAttempt();
      const again = async (letter: "a" | "b"): Promise<ActionEnd> => {
        const { inputs = {}, env } = inService(letter);
        return project.pull("change", {
          runId: 300,
          inputs,
          env: { ...env, GITHUB_RUN_ATTEMPT: "2" },
        });
      };
      expect((await again("a")).outputs).toMatchObject({ verdict: "pass" });
      const end = await again("b");
      expect(end.outputs, end.stdout).toMatchObject({ verdict: "inconclusive" });
      expect(end.stdout).toContain("nothing that a re-run could go on with");
    },
  );
});

const forked = recordProject({ ...suite(), ...reportFiles }, async (project) => {
  await pushAll(project, [{ inputs: legs.a }, { inputs: legs.b }]);
  await project.commit("change", half);
  const { token } = project.github.rest.state;
  const { permissions } = token;
  token.permissions = { contents: "read", actions: "read", "pull-requests": "read" };
  for (const inputs of [legs.a, legs.b])
    await project.pull("change", { fork: true, runId: 300, inputs });
  token.permissions = permissions;
  await listFork(project);
});

describe("the report on a fork's matrix", () => {
  it.each([
    ["leg a, which got worse", legs.a, "fail", "exact_match"],
    ["leg b, which did not", legs.b, "pass", "exact_match"],
    ["no leg: nothing says which it is of", app, "error", "the input `leg` of one of them"],
  ] as const)("%s", async (...[name, inputs, verdict, says]) => {
    await using project = await forked();
    const end = await runReport(project, inputs);
    const check = project.github.rest.state.checks.at(-1);
    console.log(`report, ${name.padEnd(40)} exit ${end.code}  ${check?.output.title}`);
    expect(end.outputs, end.stdout).toMatchObject({ verdict });
    expect(end.stdout).toContain(says);
  });
});
