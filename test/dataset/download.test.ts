import { readFile } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { createDatasetDownloader } from "../../src/dataset/download.ts";
import { Refusal } from "../../src/model/refusal.ts";
import type { DownloadedDataset, RemoteTools } from "../../src/model/ports/remote.ts";
import type { HubDataset, RemoteFiles } from "../../src/model/definition/dataset.ts";
import { createGetRemote } from "../../src/io/http/remote-http.ts";
import { openRowCache } from "../../src/store/row-cache.ts";
import {
  refuse,
  revision,
  serveHuggingFace,
  type StandIn,
  type StandInOptions,
} from "../support/huggingface/server.ts";

const place = { file: "suite.yaml", line: 3 };

function rows(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `{"q":"${i}+1","a":${i + 1}.0}`);
}

function hub(more: Partial<HubDataset> = {}): HubDataset {
  return {
    source: "hub",
    path: "acme/sums",
    name: undefined,
    split: "test",
    revision: undefined,
    max_rows: undefined,
    id_field: undefined,
    dataset_kwargs: {},
    ...more,
  };
}

interface Scene extends AsyncDisposable {
  readonly standIn: StandIn;
  readonly tools: RemoteTools;
  /** What a server asked to wait, in seconds. */
  readonly pauses: readonly number[];
  /** Milliseconds that were slept. */
  readonly slept: readonly number[];
}

/** The stand-in, a folder for what is kept, and a clock that jumps. */
async function scene(options: StandInOptions, more: Partial<RemoteTools> = {}): Promise<Scene> {
  const standIn = await serveHuggingFace(options);
  const fixture: FsFixture = await createFixture();
  const [pauses, slept]: [number[], number[]] = [[], []];
  let time = 0;
  const tools: RemoteTools = {
    get: createGetRemote({ environment: {}, testHosts: [standIn.host] }),
    rowCache: openRowCache(fixture.path, () => Promise.resolve(true)),
    redact: String,
    clock: {
      now: () => time,
      random: () => 0.5,
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
        time += milliseconds;
      },
    },
    signal: new AbortController().signal,
    servers: { rows: standIn.url, hub: standIn.url },
    token: undefined,
    onPause: ({ seconds }) => void pauses.push(seconds),
    ...more,
  };
  return {
    standIn,
    tools,
    pauses,
    slept,
    [Symbol.asyncDispose]: async () => {
      await standIn[Symbol.asyncDispose]();
      await fixture.rm();
    },
  };
}

async function download(
  tools: RemoteTools,
  dataset: HubDataset | RemoteFiles,
  which: "all" | "first" = "all",
): Promise<DownloadedDataset> {
  const found = await createDatasetDownloader(tools, which)(dataset, place);
  if ("problems" in found) throw new Refusal(found.problems);
  return found;
}

/** `code` of what is said, and where. */
async function refused(tools: RemoteTools, dataset: HubDataset | RemoteFiles): Promise<string> {
  const found = await createDatasetDownloader(tools, "all")(dataset, place).catch(
    (error: unknown) => {
      if (error instanceof Refusal) return error;
      throw error;
    },
  );
  if (!("problems" in found)) return "downloaded";
  const [first] = found.problems;
  const exit = found instanceof Refusal ? ` exit ${found.exit}` : "";
  return `${first?.code} ${first?.place?.line ?? ""}${exit}: ${first?.message}`;
}

async function text({ dataset }: DownloadedDataset): Promise<string> {
  return readFile(dataset.file.absolute, "utf8");
}

const sums = (count: number) => ({ "acme/sums": { splits: { "default/test": rows(count) } } });
const rowsAsked = ({ asked }: StandIn): readonly (string | null)[] =>
  asked
    .filter(({ url }) => url.pathname === "/rows")
    .map(({ url }) => url.searchParams.get("offset"));

describe("a data set of Hugging Face", () => {
  it.each([0, 1, 99, 100, 101, 1000, 1234])(
    "of %i rows comes whole and in order",
    async (count) => {
      await using at = await scene({ datasets: sums(count) });
      const found = await download(at.tools, hub());
      expect(found).toMatchObject({ size: count, whole: true, warnings: [] });
      expect(await text(found)).toBe(
        rows(count)
          .map((row) => `${row}\n`)
          .join(""),
      );
      expect(found.dataset.file.path).toBe("acme/sums/default/test");
      expect(found.identity).toEqual({
        source: "huggingface",
        path: "acme/sums",
        config: "default",
        split: "test",
        revision,
      });
    },
  );

  it.each([
    [1, ["0"]],
    [100, ["0"]],
    [101, ["0", "100"]],
  ])("asks for no more pages than max_rows: %i needs", async (max_rows, pages) => {
    await using at = await scene({ datasets: sums(1000) });
    const found = await download(at.tools, hub({ max_rows }));
    expect(found.size).toBe(max_rows);
    expect((await text(found)).split("\n")).toHaveLength(max_rows + 1);
    expect(rowsAsked(at.standIn)).toEqual(pages);
  });

  it("is not asked for again while its revision stands; a pinned commit not at all", async () => {
    await using at = await scene({ datasets: sums(350) });
    const first = await download(at.tools, hub());
    const again = await download(at.tools, hub());
    expect(again.dataset).toEqual(first.dataset);
    expect(rowsAsked(at.standIn)).toEqual(["0", "100", "200", "300", "0"]);
    const asked = at.standIn.asked.length;
    expect((await download(at.tools, hub({ revision }))).identity).toEqual(first.identity);
    expect(at.standIn.asked).toHaveLength(asked);
  });

  it("is downloaded once for all tasks that name it", async () => {
    await using at = await scene({ datasets: sums(250) });
    const downloadEach = createDatasetDownloader(at.tools, "all");
    const found = await Promise.all(
      Array.from({ length: 100 }, (_, i) => downloadEach(hub({ id_field: `f${i}` }), place)),
    );
    expect(rowsAsked(at.standIn)).toHaveLength(3);
    expect(found.map((each) => ("dataset" in each ? each.dataset.id_field : ""))).toEqual(
      Array.from({ length: 100 }, (_, i) => `f${i}`),
    );
  });

  it("is checked by its first page where only that is wanted", async () => {
    await using at = await scene({ datasets: sums(5000) });
    const found = await download(at.tools, hub(), "first");
    expect(found).toMatchObject({ size: 5000, whole: false });
    expect((await text(found)).split("\n")).toHaveLength(101);
    expect(rowsAsked(at.standIn)).toEqual(["0"]);
  });

  it("goes on after a failure where it stopped", async () => {
    let isDown = true;
    await using at = await scene({
      datasets: sums(900),
      before: ({ searchParams }, response) => {
        if (!isDown || searchParams.get("offset") !== "600") return false;
        refuse(response, { status: 503, code: "x", error: "down for the night" });
        return true;
      },
    });
    expect(await refused(at.tools, hub())).toMatch(
      /^remote_failed 3 exit 4: .*HTTP 503: down for the night/,
    );
    isDown = false;
    const before = at.standIn.asked.length;
    const found = await download(at.tools, hub());
    expect(await text(found)).toBe(
      rows(900)
        .map((row) => `${row}\n`)
        .join(""),
    );
    const offsets = at.standIn.asked.slice(before).map(({ url }) => url.searchParams.get("offset"));
    expect(offsets.filter((offset) => offset !== null)).toEqual(["0", "600", "700", "800"]);
  });
});

describe("a busy dataset server", () => {
  it("is asked again, later each time", async () => {
    await using at = await scene({
      datasets: sums(50),
      before: ({ pathname }, response, nth) => {
        if (pathname !== "/rows" || nth > 5) return false;
        if (nth % 2 === 0) response.destroy();
        else {
          const error =
            "The server is busier than usual and the response is not ready yet. Please retry later.";
          refuse(response, { status: 500, code: "ResponseNotReady", error });
        }
        return true;
      },
    });
    expect((await download(at.tools, hub())).size).toBe(50);
    expect(at.slept).toEqual([375, 750, 1500, 3000]);
  });

  it("is left alone for as long as it says, by all that ask", async () => {
    await using at = await scene({
      datasets: sums(1000),
      before: ({ pathname }, response, nth) => {
        if (pathname !== "/rows" || nth !== 4) return false;
        response.writeHead(429, { ratelimit: '"api";r=0;t=55' }).end("{}");
        return true;
      },
    });
    expect((await download(at.tools, hub())).size).toBe(1000);
    expect(at.pauses).toEqual([55]);
    expect(Math.max(...at.slept)).toBe(55_000);
  });

  it("that wants too long a pause is told of, with what helps", async () => {
    await using at = await scene({
      datasets: sums(10),
      before: (_, response) => {
        response.writeHead(429, { "retry-after": "3600" }).end("{}");
        return true;
      },
    });
    expect(await refused(at.tools, hub())).toMatch(
      /^remote_paused 3 exit 4: .*come back in 60 minutes/,
    );
  });
});

describe("a data set that can't be read as it is named", () => {
  const belebele = {
    "acme/sums": {
      splits: { "acm_Arab/test": rows(5), "ukr_Cyrl/test": rows(5), "ukr_Cyrl/train": rows(3) },
      refs: { "v1.0": "1".repeat(40), current: revision },
      revision,
    },
  };

  it.each([
    [
      "a split that it has not",
      hub({ split: "dev" }),
      /^hub_split_unknown 3: .*it has test, train$/,
    ],
    [
      "a split of a config",
      hub({ name: "acm_Arab", split: "train" }),
      /^hub_split_unknown 3: .*\(config acm_Arab\) has no split "train"; it has test$/,
    ],
    ["a config", hub({ name: "ukr" }), /^hub_config_unknown 3: .*it has acm_Arab, ukr_Cyrl$/],
    ["a data set", hub({ path: "acme/none" }), /^hub_needs_token 3: .*acme\/none/],
    ["a branch", hub({ revision: "v9" }), /^hub_revision_unknown 3: .*Invalid rev id: v9/],
    ["an old tag", hub({ revision: "v1.0" }), /^hub_revision_other 3: .*asks for v1\.0/],
    ["another commit", hub({ revision: "2".repeat(40) }), /^hub_revision_other 3: /],
  ])("%s", async (_, dataset, said) => {
    await using at = await scene({ datasets: belebele });
    expect(await refused(at.tools, dataset)).toMatch(said);
  });

  it.each(["main", "current", revision, revision.slice(0, 8)])(
    "but by the revision %s, which is what the server has",
    async (asked) => {
      await using at = await scene({ datasets: belebele });
      const found = await download(at.tools, hub({ name: "ukr_Cyrl", revision: asked }));
      expect(found.identity["revision"]).toBe(revision);
    },
  );

  it("warns which config it chose where the suite chooses none", async () => {
    await using at = await scene({ datasets: belebele });
    const { warnings, identity } = await download(at.tools, hub());
    expect(identity["config"]).toBe("acm_Arab");
    expect(warnings.map(({ code, place: where }) => [code, where?.line])).toEqual([
      ["hub_config_chosen", 3],
    ]);
    const train = await download(at.tools, hub({ split: "train" }));
    expect([train.identity["config"], train.warnings]).toEqual(["ukr_Cyrl", []]);
  });

  it("because it is gated: with the right token alone", async () => {
    const gated = { "acme/sums": { splits: { "default/test": rows(2) }, gated: "hf_right" } };
    await using at = await scene({ datasets: gated });
    expect(await refused(at.tools, hub())).toMatch(/^hub_needs_token 3/);
    expect(await refused({ ...at.tools, token: "hf_wrong" }, hub())).toMatch(/^hub_no_access 3/);
    expect((await download({ ...at.tools, token: "hf_right" }, hub())).size).toBe(2);
  });

  it.each([
    [
      "a page that shrinks while it is read",
      { searchParams: "200", body: page(200, 40, 450) },
      /^hub_page_short 3 exit 4: .*40 rows of acme\/sums\/default\/test from row 201 on, where 100/,
    ],
    [
      "a split that shrinks",
      { searchParams: "200", body: page(200, 40, 240) },
      /^hub_changed 3 exit 4/,
    ],
    [
      "pages that are mixed up",
      { searchParams: "200", body: page(100, 100, 450) },
      /^hub_answer_bad/,
    ],
    ["a page that is no JSON", { searchParams: "200", body: "<html>" }, /^hub_answer_bad 3 exit 4/],
  ])("because of %s", async (_, { searchParams: offset, body }, said) => {
    await using at = await scene({
      datasets: sums(450),
      before: ({ searchParams }, response) => {
        if (searchParams.get("offset") !== offset) return false;
        response.writeHead(200, { "x-revision": revision }).end(body);
        return true;
      },
    });
    expect(await refused(at.tools, hub())).toMatch(said);
  });

  it("because another revision came in the middle of it", async () => {
    await using at = await scene({
      datasets: sums(300),
      before: ({ searchParams }, response) => {
        if (searchParams.get("offset") !== "200") return false;
        response.writeHead(200, { "x-revision": "9".repeat(40) }).end(page(200, 100, 300));
        return true;
      },
    });
    expect(await refused(at.tools, hub())).toMatch(/^hub_changed/);
  });

  it("because the server holds a part of it, unless that is enough", async () => {
    const part = { "acme/sums": { splits: { "default/test": rows(120) }, partial: true } };
    await using at = await scene({ datasets: part });
    expect(await refused(at.tools, hub())).toMatch(/^hub_partial 3: .*first 120 rows/);
    expect((await download(at.tools, hub({ max_rows: 120 }))).size).toBe(120);
  });

  it("because it is larger than anything that is read", async () => {
    await using at = await scene({
      datasets: sums(1),
      before: ({ pathname }, response) => {
        if (pathname !== "/rows") return false;
        response.writeHead(200, { "x-revision": revision }).end(page(0, 100, 1_000_001));
        return true;
      },
    });
    expect(await refused(at.tools, hub())).toMatch(/^remote_too_many 3: there are 1000001 rows/);
  });
});

function page(offset: number, count: number, total: number): string {
  const items = Array.from({ length: count }, (_, i) => ({
    row_idx: offset + i,
    row: {},
    truncated_cells: [],
  }));
  return JSON.stringify({ features: [], rows: items, num_rows_total: total });
}

function files(
  standIn: StandIn,
  paths: readonly string[],
  more: Partial<RemoteFiles> = {},
): RemoteFiles {
  return {
    source: "files",
    builder: "json",
    urls: paths.map((path) => `${standIn.url}${path}`),
    split: "test",
    max_rows: undefined,
    id_field: undefined,
    dataset_kwargs: {},
    ...more,
  };
}
describe("files behind addresses", () => {
  const stored = {
    "/a.jsonl": '{"a":51.0}\n\n{"a":2}\n',
    "/b.jsonl": '\uFEFF{"a":3}',
    "/list.json": '[\n  {"a": 1.50},\n  {"a": "x"}\n]\n',
    "/t.csv": 'q,a\n"2+2, what?",4.0\nx,1\n',
    "/page.html": "<!DOCTYPE html><title>Sign in</title>",
    "/big.jsonl": rows(5000).join("\n"),
    "/ragged.csv": "a,b\n1\n",
    "/empty.jsonl": "",
  };

  it.each([
    ["JSON lines", { paths: ["/a.jsonl"] }, ['{"a":51.0}', '{"a":2}']],
    ["several", { paths: ["/a.jsonl", "/b.jsonl"] }, ['{"a":51.0}', '{"a":2}', '{"a":3}']],
    ["a JSON list", { paths: ["/list.json"] }, ['{"a": 1.50}', '{"a": "x"}']],
    [
      "CSV",
      { paths: ["/t.csv"], builder: "csv" },
      ['{"q":"2+2, what?","a":"4.0"}', '{"q":"x","a":"1"}'],
    ],
    ["the first of them", { paths: ["/a.jsonl", "/b.jsonl"], max_rows: 1 }, ['{"a":51.0}']],
    ["no more than there are", { paths: ["/a.jsonl"], max_rows: 7 }, ['{"a":51.0}', '{"a":2}']],
  ] as const)("%s", async (_, { paths, ...more }, lines) => {
    await using at = await scene({ files: stored });
    const found = await download(at.tools, files(at.standIn, paths, more));
    const read = (await text(found)).split("\n").map((line) => line.trim());
    expect(read.filter(Boolean)).toEqual(lines);
    expect(found).toMatchObject({ size: lines.length, whole: true });
  });

  it.each([
    ["HTML", { path: "/page.html" }, /^data_file_kind : the file is a web page/],
    ["nothing", { path: "/none.jsonl" }, /^data_file_denied 3/],
    ["a ragged table", { path: "/ragged.csv", builder: "csv" }, /^dataset_ragged 2/],
  ] as const)("of %s are refused", async (_, { path, ...more }, said) => {
    await using at = await scene({ files: stored });
    expect(await refused(at.tools, files(at.standIn, [path], more))).toMatch(said);
  });

  it("are not fetched again while their server says that they are the same", async () => {
    const own: Record<string, string> = { "/a.jsonl": '{"a":1}' };
    await using at = await scene({ files: own });
    const dataset = files(at.standIn, ["/a.jsonl"]);
    const first = await download(at.tools, dataset);
    expect((await download(at.tools, dataset)).dataset).toEqual(first.dataset);
    expect(at.standIn.asked.map(({ headers }) => headers["if-none-match"] !== undefined)).toEqual([
      false,
      true,
    ]);
    own["/a.jsonl"] = '{"a":2}';
    expect(await text(await download(at.tools, dataset))).toBe('{"a":2}\n');
  });

  it("are read no further than a check needs", async () => {
    await using at = await scene({ files: stored });
    const found = await download(at.tools, files(at.standIn, ["/big.jsonl"]), "first");
    expect(found).toMatchObject({ size: undefined, whole: false });
    expect((await text(found)).split("\n")).toHaveLength(101);
  });

  it("are begun again where the connection breaks in their middle", async () => {
    let breaks = 2;
    await using at = await scene({
      files: stored,
      before: (_, response) => {
        breaks -= 1;
        if (breaks < 0) return false;
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"a":"half of it"}\n');
        setTimeout(() => response.destroy(), 20);
        return true;
      },
    });
    expect(await text(await download(at.tools, files(at.standIn, ["/a.jsonl"])))).toBe(
      '{"a":51.0}\n{"a":2}\n',
    );
  });

  it("that redirect to the cloud's metadata are refused with the suite's place", async () => {
    await using at = await scene({
      before: (_, response) => {
        response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end();
        return true;
      },
    });
    expect(await refused(at.tools, files(at.standIn, ["/a.jsonl"]))).toMatch(
      /^remote_forbidden 3: http:\/\/169\.254\.169\.254\/latest\/meta-data\/ is not asked: .*metadata/,
    );
  });
});
