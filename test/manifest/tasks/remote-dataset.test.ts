import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/model/json.ts";
import { brief, problemsOf, shortForm, suiteOf } from "../resolve-text.ts";

async function datasetOf(dataset: Json): Promise<unknown> {
  return (await suiteOf(shortForm({ dataset }))).suite.tasks[0]?.dataset;
}

const problems = async (dataset: Json): Promise<readonly string[]> =>
  brief(await problemsOf(shortForm({ dataset })));

const url = "https://huggingface.co/datasets/acme/evals/resolve/main/validation.jsonl";

describe("a data set of Hugging Face", () => {
  it("has every field and default of the hosted product", async () => {
    expect(await datasetOf({ path: "facebook/belebele" })).toEqual({
      source: "hub",
      path: "facebook/belebele",
      name: undefined,
      split: "test",
      revision: undefined,
      max_rows: undefined,
      id_field: undefined,
      dataset_kwargs: {},
    });
    const all = {
      source: "huggingface",
      path: "facebook/belebele",
      name: "ukr_Cyrl",
      split: "train",
      revision: "main",
      max_rows: 100,
      id_field: "link",
      dataset_kwargs: { trust_remote_code: true },
    };
    expect(await datasetOf(all)).toEqual({ ...all, source: "hub" });
  });

  it.each(["squad", "a/b", "facebook/belebele", "A-1_2.x/y.z"])(
    "may be called %s",
    async (path) => {
      expect(await problems({ path })).toEqual([]);
    },
  );

  it.each(["../x", "a/b/c", "a b/c", "/a", "a/", "https://huggingface.co/datasets/a/b", "a/b?x=1"])(
    "can't be called %s",
    async (path) => {
      expect(await problems({ path })).toEqual(["hub_path_malformed dataset.path"]);
    },
  );

  it.each([
    ["no path", { source: "huggingface", split: "test" }, ["key_missing dataset"]],
    ["another source", { source: "kaggle", path: "a/b" }, ["value_unknown dataset.source"]],
    ["max_rows 0", { path: "a/b", max_rows: 0 }, ["value_range dataset.max_rows"]],
    [
      "max_rows of a million and one",
      { path: "a/b", max_rows: 1_000_001 },
      ["value_range dataset.max_rows"],
    ],
    ["a format", { path: "a/b", format: "jsonl" }, ["key_misplaced dataset.format"]],
    [
      "files without a builder",
      { path: "a/b", data_files: url },
      ["key_misplaced dataset.data_files"],
    ],
    [
      "a token, which would stand in the repository",
      { path: "a/b", dataset_kwargs: { token: "hf_x", use_auth_token: true } },
      ["dataset_token dataset.dataset_kwargs.token"],
    ],
    [
      "files without a builder, elsewhere",
      { path: "a/b", dataset_kwargs: { data_files: url } },
      ["key_misplaced dataset.dataset_kwargs.data_files"],
    ],
  ])("is refused for %s", async (_, dataset, said) => {
    expect(await problems(dataset)).toEqual(said);
  });

  it("takes max_rows up to a million", async () => {
    expect(await problems({ path: "a/b", max_rows: 1_000_000 })).toEqual([]);
    expect(await problems({ path: "a/b", max_rows: 1 })).toEqual([]);
  });
});

describe("the json and csv builders", () => {
  it.each([
    ["a text", url, [url]],
    ["a list", [url, `${url}?2`], [url, `${url}?2`]],
    ["a mapping", { validation: url, test: "https://a.example/t" }, [url]],
    ["a mapping of lists", { validation: [url, url] }, [url, url]],
  ])("take %s, at the top and under dataset_kwargs", async (_, data_files, urls) => {
    const asked = { path: "json", split: "validation" };
    expect(await datasetOf({ ...asked, data_files })).toMatchObject({ builder: "json", urls });
    const kwargs = { ...asked, dataset_kwargs: { data_files } };
    expect(await datasetOf(kwargs)).toMatchObject({
      source: "files",
      urls,
      dataset_kwargs: { data_files },
    });
  });

  it.each([
    ["no files", { path: "csv" }, ["data_files_missing dataset"]],
    [
      "files twice",
      { path: "csv", data_files: url, dataset_kwargs: { data_files: url } },
      ["keys_exclusive dataset.dataset_kwargs.data_files"],
    ],
    [
      "another split",
      { path: "json", data_files: { train: url } },
      ["data_files_split dataset.data_files"],
    ],
    ["an empty list", { path: "json", data_files: [] }, ["data_files_empty dataset.data_files"]],
    [
      "a number",
      { path: "json", data_files: { test: 7 } },
      ["data_files_kind dataset.data_files.test"],
    ],
    [
      "a local path",
      { path: "json", data_files: "data/x.jsonl" },
      ["url_malformed dataset.data_files"],
    ],
    [
      "a file address",
      { path: "json", data_files: "file:///etc/passwd" },
      ["url_scheme dataset.data_files"],
    ],
    [
      "the hub's own scheme",
      { path: "json", data_files: "hf://datasets/a/b" },
      ["url_scheme dataset.data_files"],
    ],
    [
      "a password",
      { path: "json", data_files: "https://a:b@c.example/" },
      ["url_credentials dataset.data_files"],
    ],
  ] as const)("are refused for %s", async (_, dataset, said) => {
    expect(await problems(dataset as unknown as Json)).toEqual(said);
  });

  it("say that a name or a revision does nothing there", async () => {
    const dataset = { path: "json", data_files: url, name: "x", revision: "main" };
    const { warnings } = await suiteOf(shortForm({ dataset }));
    expect(brief(warnings)).toEqual(["setting_idle dataset.name", "setting_idle dataset.revision"]);
  });
});
