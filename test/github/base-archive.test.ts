import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openArchivedTree } from "../../src/github/baseline/base-archive.ts";
import { openGitHub, type GitHub } from "../../src/github/api/github.ts";
import { linkMark, programMark, submoduleMark } from "../support/github/routes.ts";
import { startGitHub } from "../support/github/server.ts";
import { makeZip, type ZipEntry } from "../support/github/zip.ts";

const sha = "b".repeat(40);

/** GitHub's API as far as it hands out archives: at an address of its storage, which must not be told the token. */
async function serving(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<GitHub> {
  const server = createServer(answer);
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return openGitHub({
    env: { GITHUB_API_URL: `http://127.0.0.1:${port}` },
    token: "ghs_x",
    repository: { owner: "owner", repo: "app" },
    signal: new AbortController().signal,
    warn: () => undefined,
  });
}

function archive(entries: readonly ZipEntry[]): Promise<GitHub> {
  return serving((request, response) => {
    if (request.url === `/repos/owner/app/zipball/${sha}`) {
      const host = (request.headers.host ?? "").replace("127.0.0.1", "localhost");
      response.writeHead(302, { location: `http://${host}/storage` }).end();
    } else if (request.url?.startsWith("/repos/owner/app/git/trees/") === true)
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ sha, tree: [], truncated: false }));
    else if (request.headers.authorization === undefined)
      response.writeHead(200, { "content-type": "application/zip" }).end(makeZip(entries));
    else response.writeHead(400).end();
  });
}

it("the base's files come as an archive where git has no way to them, links left out", async () => {
  const github = await archive([
    { name: "owner-app-bbb/", content: "", mode: 0o040755 },
    { name: "owner-app-bbb/evals/qa.yaml", content: "name: qa\n" },
    { name: "owner-app-bbb/a/b/c/d.txt", content: "deep" },
    { name: "owner-app-bbb/link", content: "/etc/passwd", mode: 0o120777 },
  ]);
  const got = await openArchivedTree({ source: "main", sha, repository: undefined }, github);
  if (got.kind !== "done") throw new Error(got.problem.message);
  const { root, close } = got.value;
  expect(got.value).toMatchObject({ source: "main", sha, repository: undefined });
  expect(readFileSync(join(root, "evals/qa.yaml"), "utf8")).toBe("name: qa\n");
  expect(readFileSync(join(root, "a/b/c/d.txt"), "utf8")).toBe("deep");
  expect(existsSync(join(root, "link"))).toBe(false);
  await close();
  expect(existsSync(root)).toBe(false);
});

it("is asked for as GitHub's description says", async () => {
  await using stand = await startGitHub();
  stand.rest.state.trees.set(sha, { "evals/qa.yaml": "name: qa\n" });
  const github = await openGitHub({
    env: { GITHUB_API_URL: stand.url },
    token: "ghs_x",
    repository: { owner: "owner", repo: "app" },
    signal: new AbortController().signal,
    warn: () => undefined,
  });
  const got = await openArchivedTree({ source: "main", sha, repository: undefined }, github);
  if (got.kind !== "done") throw new Error(got.problem.message);
  expect(readFileSync(join(got.value.root, "evals/qa.yaml"), "utf8")).toBe("name: qa\n");
  await got.value.close();
  expect(stand.rest.calls.map(({ route }) => route)).toEqual([
    "GET /repos/{owner}/{repo}/zipball/{ref}",
    "GET /repos/{owner}/{repo}/git/trees/{tree_sha}",
  ]);
  expect(stand.rest.violations).toEqual([]);
});

it("an archive that can't be had is a value, with the permission that it takes", async () => {
  const refusing = await serving((_, response) => {
    response.writeHead(403, { "content-type": "application/json" }).end('{"message":"no"}');
  });
  const got = await openArchivedTree({ source: "main", sha, repository: undefined }, refusing);
  expect(got).toMatchObject({ kind: "failed", reason: "forbidden" });
  const broken = await archive([{ name: "../evil", content: "x" }]);
  expect(
    (await openArchivedTree({ source: "main", sha, repository: undefined }, broken)).kind,
  ).toBe("failed");
});

type Stand = Awaited<ReturnType<typeof startGitHub>>;

/** What comes of a tree whose archive has some files otherwise, or, null, not at all. */
async function filled(
  tree: Readonly<Record<string, string>>,
  archived: Readonly<Record<string, string | null>>,
  look: (root: string, stand: Stand) => unknown,
): Promise<string | undefined> {
  await using stand = await startGitHub();
  stand.rest.state.trees.set(sha, tree);
  stand.rest.state.archived = archived;
  const github = await openGitHub({
    env: { GITHUB_API_URL: stand.url },
    token: "ghs_x",
    repository: { owner: "owner", repo: "app" },
    signal: new AbortController().signal,
    warn: () => undefined,
  });
  const got = await openArchivedTree({ source: "main", sha, repository: undefined }, github);
  expect(stand.rest.violations).toEqual([]);
  if (got.kind !== "done") return got.problem.message;
  await look(got.value.root, stand);
  await got.value.close();
  return undefined;
}

it("what .gitattributes keeps out of archives, or changes there, comes one by one, and nothing else", async () => {
  const tree = {
    ".gitattributes": "* export-ignore",
    "evals/qa.yaml": "name: qa\n",
    "evals/data.jsonl": "{}\n",
    "evals/grader.py": "$Format:%h$ \u00e9\n",
    "lines.txt": "a\nb\n",
    "README.md": "x",
  };
  const archived = {
    ".gitattributes": null,
    "evals/data.jsonl": null,
    "evals/grader.py": "bbbbbbb \u00e9\n",
    "lines.txt": "a\r\nb\r\n",
  };
  const trouble = await filled(tree, archived, (root, { rest }) => {
    for (const [path, text] of Object.entries({ ...tree, "lines.txt": "a\r\nb\r\n" }))
      expect(readFileSync(join(root, path), "utf8")).toBe(text);
    const blobs = rest.calls.filter(({ route }) => route.includes("/git/blobs/"));
    expect(blobs).toHaveLength(3);
  });
  expect(trouble).toBeUndefined();
});

it("links come where they stay within the base's files", async () => {
  const tree = {
    "evals/qa.yaml": `${linkMark}../shared/qa.yaml`,
    "shared/qa.yaml": "name: qa\n",
    "evals/out": `${linkMark}../../workspace/evals`,
    "evals/root": `${linkMark}/etc`,
  };
  const trouble = await filled(tree, {}, (root) => {
    expect(readFileSync(join(root, "evals/qa.yaml"), "utf8")).toBe("name: qa\n");
    expect(readdirSync(join(root, "evals"))).toEqual(["qa.yaml"]);
  });
  expect(trouble).toBeUndefined();
});

it("what may be executed may be, and a submodule is an empty folder, as in a checkout", async () => {
  const tree = { "app.sh": `${programMark}echo`, lib: submoduleMark, "notes.sh": "echo" };
  const trouble = await filled(tree, { lib: null }, (root) => {
    const isProgram = (path: string): boolean => (statSync(join(root, path)).mode & 0o100) !== 0;
    expect(["app.sh", "notes.sh"].map(isProgram)).toEqual([true, false]);
    expect(readdirSync(join(root, "lib"))).toEqual([]);
  });
  expect(trouble).toBeUndefined();
});

it(
  "a base whose archive lacks more files than can be asked for is none",
  { tags: "long" },
  async () => {
    const paths = Array.from({ length: 400 }, (_, i) => `docs/${i}.md`);
    const tree = Object.fromEntries(paths.map((path) => [path, path]));
    const archived = Object.fromEntries(paths.map((path) => [path, null]));
    expect(await filled({ ...tree, a: "a" }, archived, () => undefined)).toContain("export-ignore");
  },
);
