import { mkdir, readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { git, makeChange, runChange } from "../support/change.ts";
import { makeZip, type ZipEntry } from "../support/github/zip.ts";
import { suiteFiles } from "../support/suite-files.ts";

const app = `import io, os, sys, zipfile
archive = zipfile.ZipFile(os.path.join(os.path.dirname(__file__), "kb.zip"))
prompt = sys.stdin.read()
lines = archive.read(archive.namelist()[-1]).decode().splitlines()
table = dict(line.split(" = ", 1) for line in lines if " = " in line)
print(table.get(prompt, "unknown"))
`;
const candidates = "{ app: { command: [python3, -S, app.py] } }";
const answers = Array.from({ length: 12 }, (_, i) => `What is ${i}+1? = ${i + 1}\n`).join("");
const readme = { name: "README.md", content: "Pages that the app may look into.\n" };

/** A change whose app answers from an archive that it brings. */
async function answeringFrom(
  members: readonly ZipEntry[],
): Promise<{ code: number | null; summary: string }> {
  await using fixture = await makeChange({
    base: { ...suiteFiles({ cases: 12, candidates }), "evals/app.py": "print('unknown')\n" },
    head: { "evals/app.py": app },
  });
  await mkdir(fixture.getPath("evals"), { recursive: true });
  await writeFile(fixture.getPath("evals/kb.zip"), makeZip(members));
  git(fixture.path, "add", "evals/kb.zip");
  git(fixture.path, "commit", "-q", "-m", "pages");
  const { code } = await runChange(fixture);
  return { code, summary: await readFile(fixture.getPath("out/summary.md"), "utf8") };
}

const table = { name: "answers.txt", content: answers };
const filler = { name: "pages.txt", content: "Nothing of use.\n".repeat(280_000) };

test("a change whose archive has the answers fails", async () => {
  const { code, summary } = await answeringFrom([readme, table]);
  expect(code).toBe(1);
  expect(summary).toContain(
    "`evals/kb.zip`, which this change brings, has the answers of cases of `qa`",
  );
});

test("a reviewer is told that answers may be in the part of an archive that is not searched", async () => {
  const { summary } = await answeringFrom([readme, filler, table]);
  expect(summary).toContain(
    "1 file of the change was not searched for answers of the cases, or only in part",
  );
  expect(summary).toContain("`evals/kb.zip` can't be read, and a program names it");
});
