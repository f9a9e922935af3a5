import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suiteFiles, type SuiteParts } from "../../support/suite-files.ts";
import { judged, type Attack, type Ended } from "./attack.ts";

/** At least 38 of 40 have to be right, and two may be ungraded without an error. */
const common: SuiteParts = {
  cases: 40,
  gate: "{ rules: [{ metric: exact_match, min: 0.95 }] }",
};
const wrongBelow = (count: number) => (i: number) => (i < count ? "wrong" : undefined);
const isHidden = (i: number): boolean => i < 2;
const base = suiteFiles(common);

let honest: Promise<Ended> | undefined;
const control = (): Promise<Ended> =>
  (honest ??= judged({ base, head: suiteFiles({ ...common, answer: wrongBelow(2) }) }));

const infra = '"error":{"stage":"generate","fault":"infra","type":"timeout","message":"slow"}';

/** Three wrong answers, of which two are told as failures of the surroundings. */
function excused(): Promise<Ended> {
  const head = suiteFiles({ ...common, answer: wrongBelow(3) });
  const lines = (head["evals/outputs.jsonl"] ?? "")
    .split("\n")
    .map((line, i) => (isHidden(i) ? `{"case_id":"c${i}","output_text":null,${infra}}` : line));
  return judged({ base, head: { ...head, "evals/outputs.jsonl": lines.join("\n") } });
}

/** An app that gets three wrong; `hides`: it breaks the connection of two of them instead. */
async function served(hides: boolean): Promise<Ended> {
  const server = createServer((request, response) => {
    const [, sum = ""] = request.url?.split("?") ?? [];
    const i = Number.parseInt(sum, 10);
    if (hides && isHidden(i)) return void request.socket.destroy();
    response.end(String(i < (hides ? 3 : 2) ? "wrong" : i + 1));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const http = `{ url: "http://127.0.0.1:${port}/?{{q}}", method: GET, output: "" }`;
  const files = suiteFiles({ ...common, candidates: `{ app: { http: ${http}, max_retries: 0 } }` });
  try {
    return await judged({ base: files, head: {} });
  } finally {
    server.close();
  }
}

/** The change keeps answers that it gets wrong from being graded. */
export const answers: readonly Attack[] = [
  {
    attack: "leaves cases that it gets wrong out of its recording",
    control,
    run: () =>
      judged({
        base,
        head: suiteFiles({ ...common, answer: wrongBelow(3), unrecorded: isHidden }),
      }),
    code: 1,
    says: "the base has an answer to it, so it counts as failed",
  },
  {
    attack: "records cases that it gets wrong as failures of the surroundings",
    control,
    run: excused,
    code: 1,
    says: "the base has an answer to it, so it counts as failed",
  },
  {
    attack: "records the easy cases where the base asks a program",
    control,
    run: () => {
      const candidates = "{ app: { command: [python3, -S, app.py] } }";
      const program =
        "import re, sys\nprint(sum(map(int, re.findall(r'\\d+', sys.stdin.read()))))\n";
      return judged({
        base: { ...suiteFiles({ ...common, candidates }), "evals/app.py": program },
        head: suiteFiles({ ...common, answer: wrongBelow(3), unrecorded: isHidden }),
      });
    },
    code: 1,
    says: "the base has an answer to it, so it counts as failed",
  },
  {
    attack: "breaks the connection of cases that its app gets wrong",
    control: () => served(false),
    run: () => served(true),
    code: 1,
    says: "other requests of this run reached the app, so this is its own failure",
  },
];
