import { makeChange } from "../../support/change.ts";
import { regrade } from "../../support/cli.ts";
import { startProvider } from "../../support/provider/server.ts";
import { suiteFiles, type SuiteParts } from "../../support/suite-files.ts";
import type { Attack, Ended } from "./attack.ts";

const grade = `def grade(sample, item, ctx):
    asked = sample["output_text"] + " " + item["target"]
    said = ctx.responses_create(model="local:judge", input=asked)
    return float(said["output_text"] == "yes")
`;
const gate = "{ rules: [{ metric: score, candidate: app, min: 0.8 }] }";
const recorded = "{ app: { replay: outputs.jsonl } }";
const withModel = "{ app: { replay: outputs.jsonl }, other: 'local:judge' }";
const asking = "{ type: python, contract: model_backed, file: g.py }";
const allowed =
  "{ type: python, contract: model_backed, file: g.py, allow_models: ['local:judge'] }";

interface Judging {
  /** The base's candidates: a grader may ask their models. */
  readonly candidates: string;
  readonly grader: string;
  /** The change has the judge's name stand for a server of its own. */
  readonly brings: boolean;
}

/** Wrong answers, and a grader that asks a model; or, with nothing to gain, right ones. */
async function judged({ candidates, grader, brings }: Judging): Promise<Ended> {
  await using strict = await startProvider({
    answer: ({ prompt }) => (prompt.startsWith("wrong") ? "no" : "yes"),
  });
  await using kind = await startProvider({ answer: () => "yes" });
  const files = (url: string, parts: SuiteParts): Record<string, string> => ({
    ...suiteFiles({
      cases: 8,
      gate,
      grader,
      ...parts,
      more: [`providers: { local: { base_url: "${url}", api: responses, api_key_env: KEY } }`],
    }),
    "evals/g.py": grade,
  });
  const base = files(strict.url, { candidates });
  const head = files(kind.url, { candidates: withModel, answer: () => "wrong" });
  await using fixture = await makeChange({ base, head: brings ? head : {} });
  const argv = ["run", "evals/qa.yaml", "--out", "out", "--policy-from", "main"];
  const end = await regrade(argv, { in: fixture.path, env: { KEY: "a-key-of-the-test" } });
  return { code: end.code, told: `${end.stdout}\n${end.stderr}` };
}

/** The change brings the model that judges it. */
export const judges: readonly Attack[] = [
  {
    attack: "adds a candidate that is called like the judge, at an address of its own",
    control: () => judged({ candidates: recorded, grader: allowed, brings: false }),
    run: () => judged({ candidates: recorded, grader: allowed, brings: true }),
    code: 1,
    says: "qa/score · app 0 (at least 0.800 asked; 8 cases)",
  },
  {
    attack: "gives a candidate's model, which the grader asks, an address of its own",
    control: () => judged({ candidates: withModel, grader: asking, brings: false }),
    run: () => judged({ candidates: withModel, grader: asking, brings: true }),
    code: 1,
    says: "qa/score · app 0 (at least 0.800 asked; 8 cases)",
  },
];
