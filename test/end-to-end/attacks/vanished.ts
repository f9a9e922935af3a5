import { startProject, type Files } from "../../support/github/project.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import { judged, type Attack, type Ended } from "./attack.ts";

const base = { ...suiteFiles(), ...under("other", suiteFiles({ name: "other" })) };

function under(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.replace("evals/", `${folder}/`), text]),
  );
}

/** A pull request to a repository with two suites, which a glob of the workflow finds. */
async function pulled(head: Files): Promise<Ended> {
  await using project = await startProject(base);
  await project.commit("change", head);
  const inputs = { suite: "*/*.yaml" };
  const end = await project.pull("change", { inputs });
  return { code: end.code, told: `${end.stdout}\n${end.stderr}\n${end.summary}` };
}

let unchanged: Promise<Ended> | undefined;
const control = (): Promise<Ended> => (unchanged ??= pulled({ "README.md": "# App\n" }));
const gone = (path: string): string =>
  `This change has no suite in the place of the base's ${path}`;
const manifest = suiteFiles()["evals/qa.yaml"] ?? "";
const deletedFolder = Object.fromEntries(Object.keys(suiteFiles()).map((path) => [path, null]));

/** The change lets a suite of the base disappear, which passes as the base has it. */
export const vanished: readonly Attack[] = [
  {
    attack: "deletes a suite",
    control,
    run: () => pulled({ "evals/qa.yaml": null }),
    code: 1,
    says: gone("evals/qa.yaml"),
  },
  {
    attack: "deletes a suite with its data, its recording and its folder",
    control,
    run: () => pulled(deletedFolder),
    code: 1,
    says: gone("evals/qa.yaml"),
  },
  {
    attack: "moves a suite to where no glob of the workflow looks",
    control,
    run: () => pulled({ "evals/qa.yaml": null, "evals/deep/er/qa.yaml": manifest }),
    code: 1,
    says: gone("evals/qa.yaml"),
  },
  {
    attack: "renames a suite to an ending that no glob finds",
    control,
    run: () => pulled({ "evals/qa.yaml": null, "evals/qa.yaml.off": manifest }),
    code: 1,
    says: gone("evals/qa.yaml"),
  },
  {
    attack: "puts one new suite in the place of two",
    control,
    run: () =>
      pulled({
        "evals/qa.yaml": null,
        "other/qa.yaml": null,
        "evals/both.yaml": manifest.replace("name: qa", "name: other"),
      }),
    code: 1,
    says: gone("evals/qa.yaml"),
  },
  {
    attack: "adds a suite that passes with the name of another, in other letters",
    control,
    run: () => pulled(under("extra", suiteFiles({ name: "QA" }))),
    code: 2,
    says: "two suites are called",
  },
  {
    attack: "deletes a suite and the recording that it is judged by, named on the command line",
    control: () => judged({ base: suiteFiles(), head: {} }),
    run: () =>
      judged({ base: suiteFiles(), head: { "evals/qa.yaml": null, "evals/outputs.jsonl": null } }),
    code: 1,
    says: "the base has an answer to it, so it counts as failed",
  },
];
