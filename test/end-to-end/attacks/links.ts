import { rm, symlink } from "node:fs/promises";
import { startProject, type Files } from "../../support/github/project.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import { judged, worse, type Attack, type Ended } from "./attack.ts";

const lowered = "{ rules: [{ metric: exact_match, min: 0.5 }] }";
const mild = suiteFiles({ ...worse, gate: lowered });

function at(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.replace("evals", folder), text]),
  );
}

const none = Object.fromEntries(Object.keys(suiteFiles()).map((path) => [path, null]));
let honest: Promise<Ended> | undefined;
const unchanged = (): Promise<Ended> => (honest ??= judged({ base: suiteFiles(), head: {} }));
const byBase = "By the base's policy: fail; by its own: pass.";

/** A pull request in whose tree a path is a link, made after its files are written. */
async function pulled(
  head: Files,
  link: { readonly at: string; readonly to: string } | undefined,
): Promise<Ended> {
  await using project = await startProject(at("app/evals", suiteFiles()));
  await project.commit("change", head);
  if (link !== undefined) {
    await project.workTree("change");
    await rm(project.origin.getPath(link.at), { recursive: true });
    await symlink(link.to, project.origin.getPath(link.at));
    await project.commit("change", {});
  }
  const inputs = { "working-directory": "app" };
  const end = await project.pull("change", { inputs });
  return { code: end.code, told: `${end.stdout}\n${end.stderr}\n${end.summary}` };
}

/** The change puts a symbolic link in the place of what the base judges by. */
export const links: readonly Attack[] = [
  {
    attack: "makes the suite's folder a link to one with milder rules",
    control: unchanged,
    run: () =>
      judged({
        base: suiteFiles(),
        head: { ...none, ...at("mild", mild), evals: { link: "mild" } },
      }),
    code: 1,
    says: byBase,
  },
  {
    attack: "makes the manifest a link to one with milder rules",
    control: unchanged,
    run: () =>
      judged({
        base: suiteFiles(),
        head: {
          ...mild,
          "evals/mild.txt": mild["evals/qa.yaml"] ?? "",
          "evals/qa.yaml": { link: "mild.txt" },
        },
      }),
    code: 1,
    says: byBase,
  },
  {
    attack: "names the suite's folder through a link that it makes",
    control: () =>
      judged({
        base: suiteFiles(),
        head: { other: { link: "evals" } },
        argv: ["other/qa.yaml"],
      }),
    run: () =>
      judged({
        base: suiteFiles(),
        head: { ...mild, other: { link: "evals" } },
        argv: ["other/qa.yaml"],
      }),
    code: 1,
    says: byBase,
  },
  {
    attack: "puts a real folder in the place of a link of the base",
    control: () =>
      judged({ base: { ...at("suites", suiteFiles()), evals: { link: "suites" } }, head: {} }),
    run: () =>
      judged({
        base: { ...at("suites", suiteFiles()), evals: { link: "suites" } },
        head: { evals: null, ...mild },
      }),
    code: 1,
    says: byBase,
  },
  {
    attack: "makes the suite's folder a link back to the root, where milder rules are",
    control: () =>
      judged({ base: at("app/evals", suiteFiles()), head: {}, argv: ["app/evals/qa.yaml"] }),
    run: () =>
      judged({
        base: at("app/evals", suiteFiles()),
        head: { ...mild, app: { link: "." } },
        argv: ["app/evals/qa.yaml"],
      }),
    code: 1,
    says: byBase,
  },
  {
    attack: "adds a suite whose manifest is a link out of the repository",
    control: unchanged,
    run: () =>
      judged({
        base: suiteFiles(),
        head: { "evals/new.yaml": { link: "/etc/hostname" } },
        argv: ["evals/qa.yaml", "evals/new.yaml"],
      }),
    code: 2,
    says: "the path evals/new.yaml leads out of the repository through a symbolic link",
  },
  {
    attack: "has its rules in the place of a link of the base that leads out of the repository",
    control: unchanged,
    run: () =>
      judged({
        base: { ...suiteFiles(), "evals/qa.yaml": { link: "/etc/hostname" } },
        head: mild,
      }),
    code: 2,
    says: "the path evals/qa.yaml leads out of the repository through a symbolic link",
  },
  {
    attack: "makes the data a link to an easier set",
    control: unchanged,
    run: () =>
      judged({
        base: suiteFiles(),
        head: {
          ...suiteFiles(worse),
          "evals/easy.jsonl": (suiteFiles()["evals/data/qa.jsonl"] ?? "")
            .split("\n")
            .slice(15)
            .join("\n"),
          "evals/data/qa.jsonl": { link: "../easy.jsonl" },
        },
      }),
    code: 1,
    says: byBase,
  },
  {
    attack: "makes the working directory a link to one with milder rules",
    control: () => pulled({ "README.md": "# App\n" }, undefined),
    run: () => pulled(at("mild/evals", mild), { at: "app", to: "mild" }),
    code: 2,
    says: "'working-directory' names app, which leads to mild here and not in the base",
  },
];
