/**
 * Records promptfoo's output in test/fixtures/results/promptfoo. It runs the tool from npm, in a separate folder, against
 * a model on the loopback:
 *
 *     node scripts/record-results/promptfoo.ts [FOLDER]
 *
 * FOLDER: where promptfoo is installed already, or will be; default: a new temporary one.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { good, type Day } from "../../test/support/provider/days.ts";
import { startProvider, type Seen } from "../../test/support/provider/server.ts";

const version = "0.121.20";
const fixtures = new URL("../../test/fixtures/results/promptfoo/", import.meta.url).pathname;
const install = process.argv[2] ?? mkdtempSync(join(tmpdir(), "promptfoo-"));
const tool = join(install, "node_modules/promptfoo/dist/src/entrypoint.js");

const capitals: Readonly<Record<string, string>> = {
  France: "Paris",
  Peru: "Lima",
  Japan: "Tokyo",
  Kenya: "Nairobi",
  Norway: "Oslo",
  Cuba: "Havana",
  Ghana: "Accra",
  Qatar: "Doha",
  Nepal: "Kathmandu",
  Chile: "Santiago",
};

/** Wrong answers to the changed prompt, which asks for the largest city. */
const largest: Readonly<Record<string, string>> = {
  France: "Marseille",
  Kenya: "Mombasa",
  Norway: "Bergen",
  Cuba: "Holguin",
  Ghana: "Kumasi",
  Nepal: "Pokhara",
  Chile: "Concepcion",
};

/** The model, which sometimes fails, and the judge. */
function answer({ prompt }: Seen): Day {
  if (prompt.includes("POLITE?")) {
    if (prompt.includes("Mu.")) return good("I would rather not say.");
    return good(JSON.stringify({ pass: true, score: 0.9, reason: "It is polite." }));
  }
  const country = /of (\w+)/.exec(prompt)?.[1] ?? "";
  if (country === "Atlantis")
    return { kind: "status", status: 500, body: { error: { message: "The server had an error" } } };
  if (country === "Lemuria") {
    const message = "This model's maximum context length is 8192 tokens.";
    const code = "context_length_exceeded";
    return { kind: "status", status: 400, body: { error: { message, code } } };
  }
  const known = prompt.includes("largest") ? { ...capitals, ...largest } : capitals;
  return good(known[country] ?? `${country}.`);
}

function suite(base: string, prompt: string): object {
  const judge = { id: "openai:chat:judge", config: model(base) };
  return {
    description: "Capitals",
    prompts: [prompt],
    providers: [{ id: "openai:chat:gpt-loopback", label: "model", config: model(base) }],
    defaultTest: { assert: [{ type: "icontains", value: "{{capital}}" }] },
    tests: [
      ...Object.entries(capitals).map(([country, capital], index) => ({
        vars: { country, capital },
        metadata: { region: ["europe", "america", "asia", "africa"][index % 4] },
        assert:
          index === 0
            ? [
                { type: "equals", value: "{{capital}}", weight: 3, metric: "exact" },
                { type: "javascript", value: "1 - output.length / 100", metric: "brevity" },
                { type: "llm-rubric", value: "POLITE?", provider: judge, metric: "polite" },
              ]
            : [],
      })),
      { vars: { country: "Atlantis", capital: "none" } },
      { vars: { country: "Lemuria", capital: "none" } },
      {
        vars: { country: "Mu", capital: "Mu" },
        assert: [{ type: "llm-rubric", value: "POLITE?", provider: judge }],
      },
      {
        vars: { country: "Ruritania", capital: "Ruritania" },
        assert: [{ type: "javascript", value: "JSON.parse(output).capital === 'Streslau'" }],
      },
    ],
  };
}

function model(base: string): object {
  return { apiBaseUrl: base, apiKey: "sk-loopback", maxRetries: 0, temperature: 0 };
}

/**
 * The suite has two prompts for two providers, ids of the user's own, one input under two descriptions, an assertion
 * set and a threshold.
 */
const echo = {
  description: "Echo",
  prompts: [
    "Capital of {{country}}?",
    { id: "short", label: "Short", raw: "{{country}}: capital" },
  ],
  providers: ["echo", { id: "echo", label: "second echo" }],
  tests: [
    {
      vars: { country: "France" },
      metadata: { testCaseId: "fr", tags: ["a", "b"] },
      assert: [
        { type: "contains", value: "Capital", metric: "wording", weight: 3 },
        { type: "not-contains", value: "Peru", metric: "wording" },
        { type: "levenshtein", value: "Capital of France?", threshold: 2 },
      ],
    },
    {
      description: "names the country",
      vars: { country: "Peru" },
      assert: [{ type: "regex", value: "Per." }],
    },
    {
      description: "is no JSON",
      vars: { country: "Peru" },
      threshold: 0.5,
      assert: [
        { type: "is-json" },
        {
          type: "assert-set",
          metric: "shape",
          assert: [
            { type: "icontains", value: "peru" },
            { type: "javascript", value: "output.length < 22" },
          ],
        },
      ],
    },
  ],
};

/** The candidate as a program, and as an app at an address. */
function app(base: string): object {
  const body = { model: "m", messages: [{ role: "user", content: "{{prompt}}" }] };
  return {
    description: "App",
    prompts: ["Capital of {{country}}?"],
    providers: [
      { id: "exec:sh app.sh", label: "program" },
      {
        id: `${base}/chat/completions`,
        label: "app",
        config: {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
          transformResponse: "json.choices[0].message.content",
          maxRetries: 0,
        },
      },
    ],
    tests: ["France", "Atlantis"].map((country) => ({
      vars: { country },
      assert: [{ type: "contains", value: "Paris" }],
    })),
  };
}

const program = `case "$1" in *Atlantis*) echo "no such place" >&2; exit 3;; *) echo Paris;; esac\n`;

interface Recording {
  readonly name: string;
  readonly config: object;
  readonly repeat?: number;
}

async function record({ name, config, repeat = 1 }: Recording): Promise<void> {
  const folder = join(install, "recording");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "promptfooconfig.json"), JSON.stringify(config));
  writeFileSync(join(folder, "app.sh"), program);
  const outputs = ["out.json", "out.jsonl"];
  const args = ["eval", "--no-cache", "--no-table", "--no-progress-bar", "--repeat", `${repeat}`];
  await execa(process.execPath, [tool, ...args, ...outputs.flatMap((output) => ["-o", output])], {
    cwd: folder,
    stdio: "inherit",
    env: {
      HOME: folder,
      PROMPTFOO_CONFIG_DIR: join(folder, ".promptfoo"),
      PROMPTFOO_DISABLE_TELEMETRY: "1",
      PROMPTFOO_DISABLE_UPDATE: "1",
      PROMPTFOO_REQUEST_BACKOFF_MS: "1",
      PROMPTFOO_FAILED_TEST_EXIT_CODE: "0",
    },
  });
  for (const output of outputs) {
    const text = readFileSync(join(folder, output), "utf8");
    writeFileSync(join(fixtures, output.replace("out", name)), scrub(text));
  }
}

/** Removes the install path, which is private, and the loopback's port, which differs from run to run. */
function scrub(text: string): string {
  return text.replaceAll(install, "/recorded").replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8000");
}

mkdirSync(fixtures, { recursive: true });
mkdirSync(install, { recursive: true });
const quiet = { PROMPTFOO_DISABLE_TELEMETRY: "1", PROMPTFOO_DISABLE_UPDATE: "1" };
const isThere = await execa(process.execPath, [tool, "--version"], { reject: false, env: quiet });
if (isThere.stdout !== version) {
  writeFileSync(join(install, "package.json"), "{}");
  await execa("npm", ["install", `promptfoo@${version}`], { cwd: install, stdio: "inherit" });
}
await using provider = await startProvider({ script: answer });
const base = suite(provider.url, "What is the capital of {{country}}?");
const head = suite(provider.url, "What is the largest city of {{country}}?");
await record({ name: "base", config: base, repeat: 2 });
await record({ name: "head", config: head, repeat: 2 });
await record({ name: "echo", config: echo });
await record({ name: "app", config: app(provider.url) });
