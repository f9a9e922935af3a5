import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { selfSigned } from "../support/provider/certificate.ts";
import {
  always,
  contentPolicy,
  contextOverflow,
  first,
  forbidden,
  good,
  htmlPage,
  quotaExhausted,
  redirect,
  serverError,
  tooLargeForQuota,
  tooMany,
  unauthorized,
  unknownModel,
  type Day,
} from "../support/provider/days.ts";
import { startProvider, type ProviderOptions, type Seen } from "../support/provider/server.ts";
import {
  cli,
  environmentIn,
  readRunDirectory,
  runCli,
  type CliEnd,
  type LeftBehind,
} from "./run-cli.ts";
import { itSome } from "../support/rows.ts";

/** A provider's bad day costs time: never data, never money twice, never a wrong verdict. Runs dist/cli.mjs. */

const key = "sk-test_0f3A9cB7/loopback+key";

interface Suite {
  readonly baseUrl: string;
  readonly api?: "responses" | "chat";
  readonly cases?: number;
  readonly generation?: object;
  readonly candidate?: string | object;
  readonly concurrency?: number | "auto";
  readonly files?: Readonly<Record<string, string>>;
}

interface Ended extends CliEnd, LeftBehind {}

function suiteFiles(suite: Suite): Record<string, string> {
  const { baseUrl, api = "responses", cases = 4, candidate = "local:test-model" } = suite;
  const rows = Array.from({ length: cases }, (_, i) => ({ id: `c${i}`, word: `word${i}` }));
  const manifest = {
    name: "bad-day",
    providers: { local: { base_url: baseUrl, api, api_key_env: "LOCAL_KEY" } },
    dataset: "data.jsonl",
    prompt_template: "Say {{word}}",
    target_template: "{{word}}",
    grader: "exact_match",
    candidates: { app: candidate },
    run: {
      generation: { max_retries: 2, timeout_seconds: 20, ...suite.generation },
      concurrency: suite.concurrency ?? "auto",
    },
    gate: { rules: [{ metric: "exact_match", min: 0.5 }] },
  };
  // Only models have a provider.
  const { providers: _, ...others } = manifest;
  const written = typeof candidate === "string" ? manifest : others;
  return {
    "suite.json": JSON.stringify(written),
    "data.jsonl": rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    ...suite.files,
  };
}

async function runSuite(suite: Suite, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  await using fixture = await createFixture(suiteFiles(suite));
  const args = ["run", "suite.json", "--out", "out"];
  const end = await runCli(args, { directory: fixture.path, env: { LOCAL_KEY: key, ...env } });
  const left = await readRunDirectory(join(fixture.path, "out"));
  for (const text of [end.stdout, end.stderr, left.text]) expect(text).not.toContain(key);
  return { ...end, ...left };
}

/** What the rows below say, as a run has it. */
const scored = (...cases: readonly number[]) =>
  Object.fromEntries(cases.map((i) => [`c${i}`, "scored"]));
const all = (outcome: string) => ({ c0: outcome, c1: outcome, c2: outcome, c3: outcome });

/** Only the first case has a bad day. */
const firstCase =
  (script: (seen: Seen) => Day | undefined) =>
  (seen: Seen): Day | undefined =>
    seen.prompt === "Say word0" ? script(seen) : undefined;

interface Row {
  readonly name: string;
  readonly provider: ProviderOptions;
  readonly suite?: Partial<Suite>;
  readonly verdict: string;
  readonly outcomes: Readonly<Record<string, string>>;
  readonly requests: number;
}

const soon = { "retry-after-ms": "20" };
const date = (milliseconds: number): string => new Date(milliseconds).toUTCString();

const overcome: readonly Omit<Row, "verdict" | "outcomes">[] = [
  {
    name: "429 with retry-after in seconds",
    provider: { script: firstCase(first(tooMany({ "retry-after": "1" }))) },
    requests: 5,
  },
  {
    name: "429 with retry-after as a date",
    provider: {
      script: firstCase(({ attempt }) =>
        attempt === 0 ? tooMany({ "retry-after": date(Date.now() + 1500) }) : undefined,
      ),
    },
    requests: 5,
  },
  {
    name: "429 with retry-after as a date, of a server whose clock is years behind",
    provider: {
      script: firstCase(
        first(tooMany({ date: date(900_000_000_000), "retry-after": date(900_000_001_000) })),
      ),
    },
    requests: 5,
  },
  {
    name: "429 with retry-after-ms",
    provider: { script: firstCase(first(tooMany(soon), tooMany(soon))) },
    requests: 6,
  },
  {
    name: "429 with x-ratelimit-reset-requests as a duration",
    provider: {
      script: firstCase(
        first(
          tooMany({ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "120ms" }),
        ),
      ),
    },
    requests: 5,
  },
  {
    name: "429 with x-ratelimit-reset-tokens in seconds",
    provider: { script: firstCase(first(tooMany({ "x-ratelimit-reset-tokens": "0.1" }))) },
    requests: 5,
  },
  {
    name: "429 with no word of when",
    provider: { script: firstCase(first(tooMany())) },
    requests: 5,
  },
  {
    name: "429 more often than max_retries, as others come first",
    provider: { script: firstCase(first(...Array.from({ length: 4 }, () => tooMany(soon)))) },
    requests: 8,
  },
  {
    name: "500 twice, then good",
    provider: { script: firstCase(first(serverError(500, soon), serverError(500, soon))) },
    requests: 6,
  },
  {
    name: "529, overloaded",
    provider: { script: firstCase(first(serverError(529, soon))) },
    suite: { api: "chat" },
    requests: 5,
  },
  {
    name: "408 and 409",
    provider: { script: firstCase(first(serverError(408, soon), serverError(409, soon))) },
    requests: 6,
  },
  {
    name: "a reset in the middle of the body",
    provider: { script: firstCase(first({ kind: "reset" })) },
    requests: 5,
  },
  {
    name: "a connection that is closed before the first byte",
    provider: { script: firstCase(first({ kind: "hang_up" })) },
    suite: { api: "chat" },
    requests: 5,
  },
  {
    name: "half a JSON",
    provider: { script: firstCase(first({ kind: "half_json" })) },
    requests: 5,
  },
  {
    name: "HTML with status 200",
    provider: { script: firstCase(first(htmlPage())) },
    requests: 5,
  },
  {
    name: "an empty answer, once",
    provider: { script: firstCase(first(good(""))) },
    suite: { generation: { max_empty_retries: 1 } },
    requests: 5,
  },
  {
    name: "silence for longer than timeout_seconds, once",
    provider: { script: firstCase(first({ kind: "silence" })) },
    suite: { generation: { timeout_seconds: 2 } },
    requests: 5,
  },
];

const oneLost: readonly (Omit<Row, "outcomes" | "verdict"> & { readonly lost: string })[] = [
  {
    name: "500 to the end",
    provider: { script: firstCase(always(serverError(500, soon))) },
    requests: 6,
    lost: "ungraded server_error",
  },
  {
    // With retries it is asked again for minutes: see test/candidate/resilience.
    name: "429 where nothing is to be sent again",
    provider: { script: firstCase(always(tooMany(soon))) },
    suite: { generation: { max_retries: 0 } },
    requests: 4,
    lost: "ungraded rate_limited",
  },
  {
    name: "429 for a request that is larger than a minute's quota",
    provider: { script: firstCase(always(tooLargeForQuota())) },
    requests: 4,
    lost: "ungraded request_too_large_for_quota",
  },
  {
    name: "half a JSON to the end",
    provider: { script: firstCase(always({ kind: "half_json" })) },
    suite: { generation: { max_retries: 1 } },
    requests: 5,
    lost: "ungraded bad_response",
  },
  {
    name: "HTML with status 200 to the end",
    provider: { script: firstCase(always(htmlPage())) },
    suite: { generation: { max_retries: 1 }, api: "chat" },
    requests: 5,
    lost: "ungraded bad_response",
  },
  {
    name: "an answer of 20 MB",
    provider: { script: firstCase(always({ kind: "huge", bytes: 20_000_000 })) },
    requests: 4,
    lost: "ungraded response_too_large",
  },
  {
    name: "silence to the end",
    provider: { script: firstCase(always({ kind: "silence" })) },
    suite: { generation: { timeout_seconds: 1, max_retries: 1 } },
    requests: 5,
    lost: "ungraded timeout",
  },
  {
    name: "an answer that stops half-way",
    provider: { script: firstCase(always({ kind: "stall" })) },
    suite: { generation: { timeout_seconds: 1, max_retries: 1 } },
    requests: 5,
    lost: "ungraded timeout",
  },
  {
    name: "an empty answer to the end",
    provider: { script: firstCase(always(good(""))) },
    suite: { generation: { max_empty_retries: 2 }, api: "chat" },
    requests: 6,
    lost: "failed empty_answer",
  },
  {
    name: "a refusal",
    provider: { script: firstCase(always({ kind: "answer", refusal: "I can't say that." })) },
    requests: 4,
    lost: "failed refusal",
  },
  {
    name: "a refusal in Chat Completions",
    provider: { script: firstCase(always({ kind: "answer", refusal: "I can't say that." })) },
    suite: { api: "chat" },
    requests: 4,
    lost: "failed refusal",
  },
  {
    name: "a prompt that is too long",
    provider: { script: firstCase(always(contextOverflow())) },
    requests: 4,
    lost: "failed context_overflow",
  },
  {
    name: "a prompt that the content policy does not allow",
    provider: { script: firstCase(always(contentPolicy())) },
    requests: 4,
    lost: "failed content_policy",
  },
];

/** One request at a time: none is in flight when the answer comes that stops the run. */
const halting: readonly (Omit<Row, "verdict" | "outcomes"> & {
  readonly finished: readonly number[];
  readonly says: string;
})[] = [
  {
    name: "401",
    provider: { script: always(unauthorized(key)) },
    requests: 1,
    finished: [],
    says: "LOCAL_KEY",
  },
  {
    name: "403",
    provider: { script: always(forbidden()) },
    requests: 1,
    finished: [],
    says: "LOCAL_KEY",
  },
  {
    name: "an unknown model",
    provider: { script: always(unknownModel("test-model")) },
    requests: 1,
    finished: [],
    says: "test-model",
  },
  {
    name: "a quota that is used up",
    provider: { script: always(quotaExhausted()) },
    requests: 1,
    finished: [],
    says: "quota",
  },
  {
    name: "a quota that is used up half-way",
    provider: { script: ({ index }) => (index < 2 ? undefined : quotaExhausted()) },
    requests: 3,
    finished: [0, 1],
    says: "quota",
  },
  {
    name: "402",
    provider: { script: always({ kind: "status", status: 402, body: "Payment Required" }) },
    requests: 1,
    finished: [],
    says: "quota",
  },
  {
    name: "429 that wants to be left alone for an hour",
    provider: { script: always(tooMany({ "retry-after": "3600" })) },
    requests: 1,
    finished: [],
    says: "--resume",
  },
  {
    name: "429 with a quota that is used up for more than five minutes",
    provider: {
      script: always(
        tooMany({ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" }),
      ),
    },
    requests: 1,
    finished: [],
    says: "--resume",
  },
];

describe("a bad day that passes costs time and nothing else", () => {
  itSome(overcome)("$name", async ({ provider: options, suite, requests }) => {
    await using provider = await startProvider(options);
    const end = await runSuite({ baseUrl: provider.url, ...suite });
    expect(end.run.gate.verdict, end.stdout + end.stderr).toBe("pass");
    expect(end.outcomes).toEqual(all("scored"));
    expect(end.code).toBe(0);
    expect(provider.count()).toBe(requests);
  });
});

describe("a limit on the rate slows a run down, and loses nothing", () => {
  itSome(["auto", 8] as const)("concurrency: %s", async (concurrency) => {
    let room = 5;
    let lastMs = Date.now();
    const perMs = 0.03;
    await using provider = await startProvider({
      script: () => {
        room = Math.min(5, room + (Date.now() - lastMs) * perMs);
        lastMs = Date.now();
        if (room < 1) {
          const milliseconds = Math.ceil((1 - room) / perMs);
          return tooMany({ "retry-after-ms": String(milliseconds), "retry-after": "1" });
        }
        room -= 1;
        return undefined;
      },
    });
    const end = await runSuite({ baseUrl: provider.url, cases: 120, concurrency });
    expect(end.run.gate.verdict, end.stdout + end.stderr).toBe("pass");
    expect(end.run.cases).toMatchObject({ declared: 120, scored: 120 });
    expect(provider.count()).toBeLessThan(480);
  });
});

describe("a bad day that does not pass costs the sample that it hit", () => {
  itSome(oneLost)("$name", async ({ provider: options, suite, requests, lost }) => {
    await using provider = await startProvider(options);
    const end = await runSuite({ baseUrl: provider.url, ...suite });
    expect(end.outcomes).toEqual({ c0: lost, ...scored(1, 2, 3) });
    expect(end.run.gate.verdict, end.stdout + end.stderr).toBe("pass");
    expect(provider.count()).toBe(requests);
  });

  it(
    "all samples hit is no verdict: 429 where nothing is to be sent again",
    { tags: "smoke" },
    async () => {
      await using provider = await startProvider({ script: always(tooMany(soon)) });
      const end = await runSuite({ baseUrl: provider.url, generation: { max_retries: 0 } });
      expect(end.outcomes).toEqual(all("ungraded rate_limited"));
      expect(end.run.gate.verdict).toBe("error");
      expect(end.code).toBe(4);
      expect(provider.count()).toBe(4);
    },
  );

  it("a provider that dies for good half-way is no verdict", async () => {
    await using provider = await startProvider({
      script: ({ index }) => {
        if (index < 2) return undefined;
        void provider.close();
        return { kind: "silence" };
      },
    });
    const suite = {
      baseUrl: provider.url,
      concurrency: 1,
      generation: { max_retries: 1 },
      cases: 8,
    };
    const end = await runSuite(suite);
    expect(end.run.cases).toMatchObject({ scored: 2 });
    expect(end.run.gate.verdict).toBe("error");
    expect(end.code).toBe(4);
    expect(provider.count()).toBe(3);
  });
});

describe("what every request would meet stops the run at once, with one sentence that says what to do", () => {
  itSome(halting)("$name", async ({ provider: options, requests, finished, says }) => {
    await using provider = await startProvider(options);
    const end = await runSuite({ baseUrl: provider.url, concurrency: 1, cases: 6 });
    expect(end.run.gate.verdict, end.stdout + end.stderr).toBe("error");
    expect(end.run.status).toBe("failed");
    expect(end.code).toBe(4);
    expect(provider.count()).toBe(requests);
    expect(end.outcomes).toMatchObject(scored(...finished));
    expect(end.run.cases.scored).toBe(finished.length);
    expect(end.run.gate.reasons[0]).toContain(says);
  });

  it("requests that are in flight are the only ones beyond the first", async () => {
    await using provider = await startProvider({ script: always(unauthorized(key)) });
    const end = await runSuite({ baseUrl: provider.url, concurrency: 3, cases: 60 });
    expect(end.run.gate.verdict).toBe("error");
    expect(provider.count()).toBeLessThanOrEqual(3);
  });
});

describe("the way to the provider", () => {
  it("a redirect to another host is not followed, and the key stays", async () => {
    await using other = await startProvider();
    await using provider = await startProvider({
      script: firstCase(always(redirect(`${other.url}/responses`))),
    });
    const end = await runSuite({ baseUrl: provider.url });
    expect(end.outcomes).toEqual({ c0: "ungraded redirected", ...scored(1, 2, 3) });
    expect(provider.count()).toBe(4);
    expect(other.count()).toBe(0);
  });

  it("the key is sent, and to its provider only", async () => {
    await using provider = await startProvider();
    await runSuite({ baseUrl: provider.url, cases: 1 });
    expect(provider.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${key}`,
    ]);
  });

  it("a certificate that nobody vouches for is no verdict, and not one request", async () => {
    await using provider = await startProvider({ tls: selfSigned() });
    const end = await runSuite({ baseUrl: provider.url });
    expect(end.outcomes).toEqual(all("ungraded tls"));
    expect(end.run.gate.verdict).toBe("error");
    expect(provider.count()).toBe(0);
  });

  it("a custom certificate authority is trusted where NODE_EXTRA_CA_CERTS names it", async () => {
    const tls = selfSigned();
    await using provider = await startProvider({ tls });
    await using fixture = await createFixture({});
    const file = join(fixture.path, "ca.pem");
    await writeFile(file, tls.cert);
    const end = await runSuite({ baseUrl: provider.url }, { NODE_EXTRA_CA_CERTS: file });
    expect(end.outcomes).toEqual(all("scored"));
    expect(provider.count()).toBe(4);
  });

  it("a name that doesn't resolve is no verdict", async () => {
    const baseUrl = "https://models.regrade.invalid/v1";
    const end = await runSuite({ baseUrl, generation: { max_retries: 1 } });
    expect(end.outcomes).toEqual(all("ungraded name_not_resolved"));
    expect(end.run.gate.verdict).toBe("error");
  });

  it("a port where nobody listens is no verdict", async () => {
    const provider = await startProvider();
    await provider.close();
    const end = await runSuite({ baseUrl: provider.url, generation: { max_retries: 1 } });
    expect(end.outcomes).toEqual(all("ungraded connection_refused"));
    expect(end.run.gate.verdict).toBe("error");
  });
});

/** A long-lived Python program that answers rightly, unless `bad` says otherwise for the request `n`. */
const worker = (bad: string): string => `
import json, os, sys, time

def answer(request, **more):
    word = request["prompt"].split()[-1]
    print(json.dumps({"id": request["id"], "output_text": word, **more}), flush=True)

for n, line in enumerate(sys.stdin):
    request = json.loads(line)
    word = request["prompt"].split()[-1]
    if word == "word0":
${bad
  .split("\n")
  .map((each) => `        ${each}`)
  .join("\n")}
    else:
        answer(request)
`;

const workers: readonly {
  readonly name: string;
  readonly bad: string;
  readonly lost: RegExp;
}[] = [
  { name: "prints noise", bad: 'print("loading the model…", flush=True)', lost: /^failed / },
  { name: "answers out of turn", bad: 'answer({**request, "id": "another"})', lost: /^failed / },
  {
    name: "says that it failed",
    bad: 'print(json.dumps({"id": request["id"], "error": "no idea"}), flush=True)',
    lost: /^failed /,
  },
  { name: "dies", bad: "os._exit(3)", lost: /^failed / },
  { name: "hangs", bad: "time.sleep(60)", lost: /^failed timeout$/ },
];

describe("a worker's bad day costs the sample that it hit", () => {
  itSome(workers)("$name", async ({ bad, lost }) => {
    const candidate = { worker: ["python3", "-S", "worker.py"], timeout_seconds: 2 };
    const files = { "worker.py": worker(bad) };
    const end = await runSuite({ baseUrl: "", candidate, files, concurrency: 1 });
    expect(end.outcomes, end.stdout + end.stderr).toMatchObject(scored(1, 2, 3));
    expect(end.outcomes["c0"]).toMatch(lost);
    expect(end.run.gate.verdict).toBe("pass");
  });

  it("answers twice: the second answer is never taken for another sample's", async () => {
    const candidate = { worker: ["python3", "-S", "worker.py"], timeout_seconds: 2 };
    const files = { "worker.py": worker("answer(request)\nanswer(request)") };
    const end = await runSuite({ baseUrl: "", candidate, files, concurrency: 1 });
    expect(end.outcomes).toMatchObject(scored(0, 2, 3));
    expect(end.samples.map((sample) => sample.scores["exact_match"] ?? 1)).toEqual([1, 1, 1, 1]);
    expect(end.run.gate.verdict).toBe("pass");
  });
});

describe("a clock that jumps", () => {
  itSome([
    ["ahead", 3_600_000],
    ["back", -3_600_000],
  ])("an hour %s, at every second look, changes nothing", async (_, milliseconds) => {
    // As a set clock does it: `Date` is moved, the monotonic clock is not.
    const jumping = `let looks = 0;
      globalThis.Date = class extends Date {
        constructor(...given) { super(...(given.length === 0 ? [Date.now()] : given)); }
        static now() { return super.now() + (looks++ % 2) * ${milliseconds}; }
      };`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(jumping)}` };
    const wait = first(tooMany({ "retry-after": "1" }));
    await using provider = await startProvider({ script: firstCase(wait) });
    const before = Date.now();
    const end = await runSuite({ baseUrl: provider.url }, env);
    const after = Date.now();
    expect(end.code, end.stderr).toBe(0);
    expect(end.outcomes).toEqual(all("scored"));
    expect(provider.count()).toBe(5);
    for (const { latency_ms, created_at, completed_at } of end.samples) {
      expect(latency_ms).toBeGreaterThanOrEqual(0);
      expect(latency_ms).toBeLessThan(after - before);
      expect(Date.parse(created_at)).toBeGreaterThan(before - 100);
      expect(Date.parse(completed_at)).toBeLessThan(after + 100);
    }
    // What was asked to wait for a second did so, and no hour.
    expect(end.samples.find(({ case_id }) => case_id === "c0")?.latency_ms).toBeGreaterThan(1000);
  });
});

describe.skipIf(process.platform === "win32")("the machine's own bad day", () => {
  it("a full disk ends the run with a sentence, and what was paid for stays", async () => {
    await using provider = await startProvider();
    const cases = 300;
    await using fixture = await createFixture(
      suiteFiles({ baseUrl: provider.url, cases, concurrency: 4 }),
    );
    const args = ["run", "suite.json", "--out", "out", "--no-cache"];
    const surroundings = { directory: fixture.path, env: { LOCAL_KEY: key } };
    // No file may be larger than 64 KiB: for whoever writes it is as a full disk.
    const through = ["bash", "-c", 'ulimit -f 64; exec "$0" "$@"'];
    const full = await runCli(args, { ...surroundings, through });
    expect(full.code, full.stderr).toBe(4);
    expect(full.stderr).toMatch(/can't write .*(?:samples|generated)\.jsonl: /);
    expect(full.stderr).toContain("--resume");
    const paid = provider.count();
    expect(paid).toBeLessThan(cases);
    const end = await runCli([...args, "--resume"], surroundings);
    expect(end.code, end.stderr).toBe(0);
    const left = await readRunDirectory(join(fixture.path, "out"));
    expect(left.run.cases).toMatchObject({ declared: cases, scored: cases });
    // Those whose answer could not be written, and no more.
    expect(provider.count()).toBeLessThanOrEqual(cases + 8);
  });

  it("two runs in one directory: the second is refused, and a crash leaves no lock behind", async () => {
    const reached = Promise.withResolvers<void>();
    let isSilent = true;
    await using provider = await startProvider({
      script: ({ index }) => {
        if (index === 3) reached.resolve();
        return isSilent && index >= 3 ? { kind: "silence" } : undefined;
      },
    });
    await using fixture = await createFixture(
      suiteFiles({ baseUrl: provider.url, cases: 8, concurrency: 1 }),
    );
    const args = ["run", "suite.json", "--out", "out", "--resume"];
    const surroundings = { directory: fixture.path, env: { LOCAL_KEY: key } };
    const one = spawn(process.execPath, [cli, ...args.slice(0, -1)], {
      cwd: fixture.path,
      env: { ...environmentIn(fixture.path), LOCAL_KEY: key },
      stdio: "ignore",
    });
    await reached.promise;
    const other = await runCli(args, surroundings);
    expect(other.code, other.stderr).toBe(2);
    expect(other.stderr).toContain("is running in out");
    one.kill("SIGKILL");
    await once(one, "exit");
    isSilent = false;
    const after = await runCli(args, surroundings);
    expect(after.code, after.stderr).toBe(0);
    const left = await readRunDirectory(join(fixture.path, "out"));
    expect(left.run.cases).toMatchObject({ declared: 8, scored: 8 });
    // Eight samples, and the one that was in flight when it was killed.
    expect(provider.count()).toBe(9);
  });
});

describe("an app over HTTP", () => {
  it("that answers 500 has failed the case, and is not asked twice", async () => {
    await using provider = await startProvider({
      script: ({ body }) =>
        JSON.stringify(body).includes("word0")
          ? serverError(500)
          : {
              kind: "status",
              status: 200,
              body: { choices: [{ message: { content: wordOf(body) } }] },
            },
    });
    const end = await runSuite({ baseUrl: "", candidate: app(`${provider.url}/ask`) });
    expect(end.outcomes, end.stdout + end.stderr).toEqual({
      c0: "failed http_500",
      ...scored(1, 2, 3),
    });
    expect(end.run.gate.verdict).toBe("pass");
    expect(provider.count()).toBe(4);
  });

  it("that is silent has failed the case by its time-out", async () => {
    await using provider = await startProvider({
      script: ({ body }) =>
        JSON.stringify(body).includes("word0")
          ? { kind: "silence" }
          : {
              kind: "status",
              status: 200,
              body: { choices: [{ message: { content: wordOf(body) } }] },
            },
    });
    const end = await runSuite({ baseUrl: "", candidate: app(`${provider.url}/ask`) });
    expect(end.outcomes, end.stdout + end.stderr).toEqual({
      c0: "failed timeout",
      ...scored(1, 2, 3),
    });
    expect(provider.count()).toBe(4);
  });
});

/** An app that answers as Chat Completions do. */
function app(url: string): object {
  const output = "/choices/0/message/content";
  return { http: { url, body: { ask: "{{prompt}}" }, output }, timeout_seconds: 2 };
}

function wordOf(body: unknown): string {
  return /word\d+/.exec(JSON.stringify(body))?.[0] ?? "";
}
