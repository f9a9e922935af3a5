import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { BaseTree } from "../../src/model/outcomes/policy.ts";
import { judgesOfBase } from "../../src/github/runner/base-judges.ts";

const path = ".github/workflows/evals.yml";
const here = { workflow: path, job: "evals", action: undefined };

function workflow(inputs: string, job = "evals", uses = "acme/regrade@v1"): string {
  return `on: pull_request\njobs:\n  ${job}:\n    steps:\n      - uses: ./.github/actions/setup\n      - uses: ${uses}\n        with: ${inputs}\n`;
}

type Judges = NonNullable<BaseTree["judges"]>;

interface Case {
  readonly base: string | undefined;
  readonly head?: string;
  readonly given?: Judges;
  readonly found: Judges | undefined;
}

const kinder = { judge_model: "p:kinder" };
const edited = workflow("{ judge-model: p:kinder }");

const cases: Readonly<Record<string, Case>> = {
  "the same workflow": { base: edited, found: undefined },
  "no workflow in the base": { base: undefined, found: undefined },
  "another judge": { base: workflow("{ judge-model: p:j }"), found: { judge_model: "p:j" } },
  "another model for embeddings": {
    base: workflow("{ embedding-model: p:e }"),
    given: { embedding_model: "p:other" },
    found: { embedding_model: "p:e" },
  },
  "the manifest's judge in the base": { base: workflow("{ strict: true }"), found: {} },
  "an input that the change took away": {
    base: workflow("{ judge-model: p:j }"),
    head: workflow("{ strict: true }"),
    given: {},
    found: { judge_model: "p:j" },
  },
  "the same judge, and another edit": {
    base: workflow("{ judge-model: p:kinder, strict: true }"),
    found: kinder,
  },
  "a judge that only GitHub knows": {
    base: workflow('{ judge-model: "${{ vars.JUDGE }}" }'),
    found: kinder,
  },
  "a step of another job": {
    base: workflow("{ judge-model: p:j }", "other"),
    found: { judge_model: "p:j" },
  },
  "a job that calls the reusable workflow": {
    base: "jobs:\n  evals:\n    uses: acme/regrade/.github/workflows/regrade.yml@v1\n    with: { judge-model: p:j }\n",
    found: { judge_model: "p:j" },
  },
  "no step of Regrade": {
    base: workflow("{ judge-model: p:j }", "evals", "acme/x@v1"),
    found: undefined,
  },
  "a workflow that can't be read": { base: "jobs: [\n", found: undefined },
};

describe("the models that judge by the base's workflow", () => {
  it.each(Object.entries(cases))(
    "%s",
    async (_, { base, head = edited, given = kinder, found }) => {
      await using fixture = await createFixture({
        ...(base !== undefined && { [join("base", path)]: base }),
        [join("head", path)]: head,
      });
      const trees = { base: fixture.getPath("base"), head: fixture.getPath("head") };
      expect(await judgesOfBase(given, trees, here)).toEqual(found);
    },
  );

  it("by the action's own name, where that is another one", async () => {
    await using fixture = await createFixture({
      [join("base", path)]: workflow("{ judge-model: p:j }", "evals", "acme/gate@v1"),
      [join("head", path)]: edited,
    });
    const trees = { base: fixture.getPath("base"), head: fixture.getPath("head") };
    const found = await judgesOfBase(kinder, trees, { ...here, action: "acme/gate" });
    expect(found).toEqual({ judge_model: "p:j" });
  });
});
