import { createFixture, type FileTree } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { haveSameFiles } from "../../../../src/io/files/same-files.ts";
import { inspectPath } from "../../../../src/io/files/files.ts";
import type {
  GraderProgram,
  GraderProgramSpec,
  PythonTools,
} from "../../../../src/model/ports/programs.ts";
import { shareGraders } from "../../../../src/suite/policy/graders/shared-graders.ts";

const common = {
  metricId: "m",
  timeoutSeconds: 5,
  execution: "per_sample",
  contract: "sample",
  isolation: undefined,
  allowRead: [],
  models: undefined,
} as unknown as Omit<GraderProgramSpec, "kind">;
const builtin = { ...common, kind: "builtin", name: "numeric", options: {} } as GraderProgramSpec;
const inline = { ...common, kind: "source", text: "x", shown: "s" } as GraderProgramSpec;
const inFile = (absolutePath: string): GraderProgramSpec => ({
  ...common,
  kind: "file",
  absolutePath,
  shown: "g.py",
});

/** A Python that counts its starts and ends, and the graders that are loaded in it. */
function counting(level = "landlock+seccomp") {
  const seen = { starts: 0, closes: 0, loaded: 0, closedPrograms: 0 };
  const start = async (): Promise<PythonTools> => {
    seen.starts += 1;
    return {
      version: "3.12.1",
      openProgram: async () => {
        seen.loaded += 1;
        const close = async (): Promise<void> => {
          seen.closedPrograms += 1;
        };
        const program = { files: [], runsText: undefined, close };
        return { program: program as unknown as GraderProgram };
      },
      sandbox: () => ({ level, details: {} }),
      close: async () => {
        seen.closes += 1;
      },
    } as unknown as PythonTools;
  };
  return { seen, graders: shareGraders(start, { haveSameFiles, inspectPath }) };
}

async function openBoth(one: GraderProgramSpec, other: GraderProgramSpec, level?: string) {
  const { seen, graders } = counting(level);
  const opening = graders.first().then((first) => first.openProgram(one));
  const further = await graders.after(opening)();
  const opened = await further.openProgram(other);
  if ("program" in opened) await opened.program.close();
  await further.close();
  return { seen, further };
}

const once = { starts: 1, closes: 0, loaded: 1, closedPrograms: 0 };
const twice = { starts: 2, closes: 1, loaded: 2, closedPrograms: 1 };

describe("the graders of two policies", () => {
  it.each([
    ["a built-in one", builtin],
    ["one in the manifest", inline],
  ])("are one where both have the same: %s", async (_, spec) => {
    const { seen, further } = await openBoth(spec, { ...spec });
    expect(seen).toEqual(once);
    expect(further.version).toBe("3.12.1");
    expect(further.sandbox()?.level).toBe("landlock+seccomp");
  });

  it.each<[string, object]>([
    ["other options", { options: { tolerance: 1 } }],
    ["another metric", { metricId: "n" }],
    ["another time limit", { timeoutSeconds: 6 }],
    ["a process for each sample", { isolation: "sample" }],
    ["all samples together", { execution: "aggregate" }],
    ["a folder that it may read", { allowRead: ["/base/data"] }],
    ["access to models", { models: { maxCalls: 1, call: async () => ({}) } }],
  ])("are two where one has %s", async (_, other) => {
    const changed = { ...builtin, ...other } as GraderProgramSpec;
    expect((await openBoth(builtin, changed)).seen).toEqual(twice);
    expect((await openBoth(changed, builtin)).seen).toEqual(twice);
  });

  it("are two where both ask models: each by its own suite's budget", async () => {
    const models = { maxCalls: 1, call: async () => ({}) };
    const asking = { ...builtin, models } as unknown as GraderProgramSpec;
    expect((await openBoth(asking, asking)).seen).toEqual(twice);
  });

  const files = { "g.py": "import h", "h.py": "1", "data/a.json": "{}" };

  it("are one where their folders are the same", async () => {
    await using fixture = await createFixture({
      base: files,
      head: { ...files, ".git": { x: "" } },
    });
    const at = (side: string) => inFile(fixture.getPath(side, "g.py"));
    expect((await openBoth(at("base"), at("head"))).seen).toEqual(once);
    expect((await openBoth(at("base"), at("head"), "seccomp")).seen).toEqual(twice);
    expect((await openBoth(at("base"), inFile(fixture.getPath("head/h.py")))).seen).toEqual(twice);
  });

  it.each<[string, Record<string, string>]>([
    ["imports another module", { ...files, "h.py": "2" }],
    ["reads other data", { ...files, "data/a.json": "[]" }],
    ["would find another module first", { ...files, "json.py": "" }],
    ["would find a package in place of a module", { ...files, "h/__init__.py": "" }],
    ["lacks a file", { "g.py": "import h", "h.py": "1" }],
  ])("are two where one %s", async (_, head) => {
    await using fixture = await createFixture({ base: files, head });
    const at = (side: string) => inFile(fixture.getPath(side, "g.py"));
    expect((await openBoth(at("base"), at("head"))).seen).toEqual(twice);
  });

  it("are two where their folders have a link, which may lead to anything", async () => {
    const linked: FileTree = { "g.py": "", data: (at) => at.symlink("/tmp") };
    await using fixture = await createFixture({ base: linked, head: linked });
    const at = (side: string) => inFile(fixture.getPath(side, "g.py"));
    expect((await openBoth(at("base"), at("head"))).seen).toEqual(twice);
  });

  it("are two where the first suite has closed its own, as after a check of its options", async () => {
    const { seen, graders } = counting();
    const opening = graders.first().then((first) => first.openProgram(builtin));
    const opened = await opening;
    if ("program" in opened) await opened.program.close();
    const further = await graders.after(opening)();
    await further.openProgram(builtin);
    expect(seen).toMatchObject({ starts: 2, loaded: 2, closedPrograms: 1 });
  });

  it("are a suite's own where the other could not be opened", async () => {
    const { seen, graders } = counting();
    const opening = graders.first().then(() => Promise.reject(new Error("refused")));
    const further = await graders.after(opening)();
    await further.openProgram(builtin);
    await further.close();
    expect(seen).toMatchObject({ starts: 2, closes: 1, loaded: 1 });
  });
});
