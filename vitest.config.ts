import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { pathWithPython } from "./scripts/python-path.ts";

/** Folders whose tests start processes or servers: most of their time they wait. */
const waiting = [
  "candidate",
  "cli",
  "docs",
  "end-to-end",
  "github",
  "io",
  "python-host",
  "store",
].map((folder) => `test/${folder}/**/*.test.ts`);

const cores = availableParallelism();
const shared = {
  // A busy two-core machine needs time, never luck.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Files share a worker: a worker of its own costs each file a tenth of a second. So a test leaves nothing behind in its process.
  isolate: false,
  env: { PATH: pathWithPython() },
};

export default defineConfig({
  test: {
    tags: [{ name: "smoke", description: "one test of each end-to-end flow, for test:quick" }],
    projects: [
      {
        test: {
          ...shared,
          name: "computes",
          include: ["test/**/*.test.ts"],
          exclude: waiting,
          maxWorkers: cores,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "waits",
          include: waiting,
          maxWorkers: 3 * cores,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
