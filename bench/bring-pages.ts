import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatasetDownloader } from "../src/dataset/download.ts";
import { openSecrets, openTools } from "../src/wiring.ts";

/** Downloads a data set from the stand-in, like a run before its first sample: `node bring-pages.ts URL ROWS`. */
const [url = "", rows = "0"] = process.argv.slice(2);
const directory = await mkdtemp(join(tmpdir(), "regrade-bring-"));
try {
  const env = { ...process.env, REGRADE_TEST_DATASETS_SERVER: url };
  const tools = openTools({
    env,
    python: "python3",
    sandbox: "auto",
    report: () => undefined,
    secrets: openSecrets(env),
    signal: new AbortController().signal,
    workingDirectory: directory,
  });
  const dataset = {
    source: "hub",
    path: "bench/svamp",
    name: "default",
    split: "test",
    revision: undefined,
    max_rows: undefined,
    id_field: undefined,
    dataset_kwargs: {},
  } as const;
  const brought = await createDatasetDownloader(tools.remote, "all")(dataset, { file: "bench" });
  if ("problems" in brought || brought.size !== Number(rows)) {
    throw new Error(JSON.stringify(brought));
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
