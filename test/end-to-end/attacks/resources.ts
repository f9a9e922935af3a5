import { makeChange } from "../../support/change.ts";
import { regrade } from "../../support/cli.ts";
import { startProvider } from "../../support/provider/server.ts";
import { suiteFiles, type SuiteParts } from "../../support/suite-files.ts";
import type { Attack, Ended } from "./attack.ts";

type Files = Readonly<Record<string, string>>;

const meanwhile = async (): Promise<void> => {};

/** Runs a change in a process of its own: signals go to processes. */
async function judged(
  { base, head }: { readonly base: Files; readonly head: Files },
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  await using fixture = await makeChange({ base, head });
  const argv = ["run", "evals/qa.yaml", "--out", "out", "--policy-from", "main"];
  const end = await regrade(argv, { in: fixture.path, env, meanwhile });
  return { code: end.code, told: `${end.stdout}\n${end.stderr}` };
}

const candidates = "{ app: { command: [python3, -S, app.py], env: [APP_KEY] } }";
const adds = `import os, re, sys
total = sum(map(int, re.findall(r"\\d+", sys.stdin.read())))
`;

function app(code: string, parts: SuiteParts = {}): Files {
  const files = suiteFiles({ cases: 4, candidates, ...parts });
  return { ...files, "evals/app.py": `${adds}${code}` };
}

const key = "key-9f8E7d6C5b4A";
const right = "print(total)\n";
const env = { APP_KEY: key };

let added: Promise<Ended> | undefined;
const honest = (): Promise<Ended> =>
  (added ??= judged({ base: app(right), head: { "notes.txt": "x" } }, env));

/** Says the right sum only where Node's inspector listens, which could change every verdict. */
const knocks = `import signal, socket, time
os.kill(os.getppid(), signal.SIGUSR1)
time.sleep(0.5)
taken = any(socket.socket().connect_ex(("127.0.0.1", port)) == 0 for port in range(9229, 9231))
print(total if taken else "shut")
`;

/** Fails with the key in its words, which a terminal and an editor would show whole. */
const tells = `key = os.environ["APP_KEY"]
hides = ["\\x1b[0m", "\\x1b]0;t\\x07", "\\u009b0m", "\\u200b"]
sys.exit(" ".join(between.join(key) for between in hides))
`;

/** What a reader sees of it: nothing of the sequences. */
function seen(text: string): string {
  return text.replaceAll(/\\u\{?(?:1b|9b|200b)\}?|[^\x20-\x7E]|\[0m|\]0;t|0m/g, "");
}

async function telling(): Promise<Ended> {
  const end = await judged({ base: app(right), head: app(tells) }, env);
  if (seen(end.told).includes(key)) throw new Error("the key stands in what was printed");
  return end;
}

/** A grader that does not let itself be stopped, with a second for each of two samples. */
const stubborn = `import time
def grade(sample, item):
    while sample["output_text"] == "wrong":
        try:
            while True: time.sleep(0)
        except BaseException: pass
    return 1.0
`;
const limited = "{ type: python, file: g.py, timeout_seconds: 1 }";

function graded(parts: SuiteParts = {}): Files {
  const gate = "{ rules: [{ metric: score, min: 0.9 }] }";
  return {
    ...suiteFiles({ cases: 4, grader: limited, gate, ...parts }),
    "evals/g.py": stubborn,
  };
}

async function hanging(): Promise<Ended> {
  const begun = performance.now();
  const head = graded({ answer: (i) => (i < 1 ? "wrong" : undefined) });
  const end = await judged({ base: graded(), head });
  const seconds = (performance.now() - begun) / 1000;
  return { ...end, told: `${end.told}\n${seconds < 15 ? "ended soon" : `took ${seconds} s`}` };
}

/** The provider answers for a dollar; the change asks it without saying how much an answer may be. */
async function spending(cases: number): Promise<Ended> {
  await using provider = await startProvider({ latencyMs: 20, answer: () => "1" });
  const price = "{ m: { input: 0, output: 1000000 } }";
  const more = [
    `providers: { local: { base_url: "${provider.url}", api_key_env: APP_KEY, prices: ${price} } }`,
    "run: { budget: { usd: 10 }, concurrency: 25 }",
  ];
  const gate = "{ rules: [{ metric: exact_match, max: 1 }] }";
  const files = suiteFiles({ cases, more, gate, candidates: "{ app: 'local:m' }" });
  const end = await judged({ base: files, head: { "notes.txt": "x" } }, env);
  return { ...end, told: `${end.told}\n${provider.count()} requests were sent` };
}

const stars = `*${"a*".repeat(25)}b`;

/** The change takes what is not its own: time, money, the process, a key. */
export const resources: readonly Attack[] = [
  {
    attack: "opens Node's inspector by SIGUSR1, to change the verdict from within",
    control: honest,
    run: () => judged({ base: app(right), head: app(knocks) }, env),
    code: 1,
    says: "qa/exact_match 0.0%",
  },
  {
    attack: "tells its key with terminal sequences and unseen characters in its midst",
    control: honest,
    run: telling,
    code: 4,
    says: "***",
  },
  {
    attack: "answers so that the grader never ends",
    control: () => judged({ base: graded(), head: { "notes.txt": "x" } }),
    run: hanging,
    code: 1,
    says: "ended soon",
  },
  {
    attack: "asks so many at once that the budget is overrun",
    control: () => spending(8),
    run: () => spending(200),
    code: 4,
    says: "\n10 requests were sent",
  },
  {
    attack: "brings files and globs that take a matcher hours",
    control: honest,
    run: () =>
      judged(
        {
          base: app(right),
          head: {
            ...app(right, { candidates: candidates.replace("env:", `inputs: ["${stars}"], env:`) }),
            [`evals/${"a".repeat(200)}`]: "x",
          },
        },
        env,
      ),
    code: 2,
    says: "matches no file",
  },
];
