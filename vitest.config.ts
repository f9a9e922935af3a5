import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // The tests start processes (dist/, Python): on a busy two-core machine they need time, never luck.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // More than the cores: a test waits for processes and for the pauses between GitHub's writes most of its time.
    maxWorkers: 3,
  },
});
