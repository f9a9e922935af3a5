import { readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { jsonLines, readRunDirectory, regrade } from "../support/cli.ts";
import { startProvider, type Seen } from "../support/provider/server.ts";

/** The graders of retrieval, as the page on graders has them, against a judge that compares words. */

const page = await readFile("docs/graders.md", "utf8");
const [, example = ""] = /^<!-- suite: rag -->\n```yaml\n([^]*?)^```$/m.exec(page) ?? [];

const rows = ["good", "bad", "silent", "off"].map((id) => ({
  id,
  question: "Where is Paris, and where is Rome?",
  reference: "Paris is in France. Rome is in Italy.",
}));
const sources = ["Paris is in France.", "Bread is food.", "Rome is in Italy."];
const outputs = {
  good: { answer: "Paris is in France [1]. Rome is in Italy [3][2].", sources },
  bad: { answer: "Paris is in Spain [1].", sources: ["Bread is food."] },
  silent: { answer: null, sources: null },
  off: { answer: "off the menu", sources },
};

it(
  "score an answer by its contexts, and a judge off the menu is no score",
  { tags: "smoke" },
  async () => {
    await using model = await startProvider({ answer: judgement });
    await using fixture = await createFixture({
      "suite.yaml": `name: rag
dataset: rows.jsonl
candidates: { app: { replay: outputs.jsonl } }
gate: none
providers: { local: { base_url: "${model.url}", api: responses, api_key_env: HOUSE_KEY } }
run: { judge_model: "local:judge", embedding_model: "local:embed" }
${example}`,
      "rows.jsonl": jsonLines(rows),
      "outputs.jsonl": jsonLines(
        Object.entries(outputs).map(([case_id, output]) => ({
          case_id,
          output_text: JSON.stringify(output),
        })),
      ),
    });
    const env = { HOUSE_KEY: "house-key-1234" };
    const end = await regrade(["run", "suite.yaml", "--out", "out"], { in: fixture.path, env });
    const { samples } = await readRunDirectory(fixture.getPath("out"));
    const of = (id: string) => samples.find(({ case_id }) => case_id === id);
    const good = of("good");
    expect(good?.error, end.stderr).toBeNull();
    expect(good?.scores).toMatchObject({
      faithfulness: 1,
      context_precision: (1 + 2 / 3) / 2,
      context_recall: 1,
      "citation_correctness.citation_recall": 1,
      "citation_correctness.citation_precision": 2 / 3,
    });
    expect(good?.scores["citation_correctness"]).toBeCloseTo(0.8, 9);
    // The judge's question has the words of the one that was asked.
    expect(good?.scores["answer_relevance"]).toBeCloseTo(1, 6);
    expect(good?.model_calls).toHaveLength(8);
    expect(of("bad")?.scores).toMatchObject({
      faithfulness: 0,
      context_precision: 0,
      context_recall: 0,
      citation_correctness: 0,
    });
    expect(of("silent")?.scores).toMatchObject({ score: 0, faithfulness: 0, context_recall: 0 });
    expect(of("silent")?.model_calls).toBeNull();
    expect(of("off")).toMatchObject({ scores: {}, error: { fault: "infra" } });
    expect(of("off")?.error?.type).toBe("judge_off_menu");
  },
);

interface Ask {
  readonly blocks: ReadonlyMap<string, string>;
  readonly instructions: string;
}

/** A judge that takes a sentence for supported where a context says the same. */
function judgement(seen: Seen): string {
  const ask = { blocks: blocksIn(seen.prompt), instructions: instructionsOf(seen.body) };
  return JSON.stringify(answerTo(ask));
}

function answerTo(ask: Ask): object {
  const answer = ask.blocks.get("ANSWER") ?? "";
  if (answer.includes("off the menu")) return { claims: ["x"], verdicts: [], questions: [] };
  if (ask.instructions.includes("noncommittal")) {
    const question = "Where is Paris, and where is Rome?";
    return { questions: [question, question, question], noncommittal: "no" };
  }
  const reference = ask.blocks.get("REFERENCE");
  if (named(ask, "STATEMENT").length > 0) return pairsOf(ask);
  if (named(ask, "CLAIM").length > 0) return verdicts(named(ask, "CLAIM"), contexts(ask));
  if (answer !== "") return { claims: sentences(answer) };
  if (ask.instructions.includes("List the claims"))
    return {
      claims: sentences(reference ?? "").map((claim) => ({
        claim,
        reason: "r",
        verdict: yes(contexts(ask).includes(claim)),
      })),
    };
  return verdicts(named(ask, "CONTEXT"), sentences(reference ?? ""));
}

function pairsOf(ask: Ask): object {
  const pairs = ask.instructions.matchAll(/^(\d+)\. STATEMENT (\d+), by CONTEXT ([\d and]+)$/gm);
  return {
    verdicts: [...pairs].map(([, number, statement = "", cited = ""]) => {
      const text = (ask.blocks.get(`STATEMENT ${statement}`) ?? "").replace(" .", ".");
      const said = cited.split(" and ").map((each) => ask.blocks.get(`CONTEXT ${each}`));
      return { number: Number(number), reason: "r", verdict: yes(said.includes(text)) };
    }),
  };
}

function verdicts(texts: readonly string[], known: readonly string[]): object {
  const judged = texts.map((text, i) => ({
    number: i + 1,
    reason: "r",
    verdict: yes(known.includes(text)),
  }));
  return { verdicts: judged };
}

function yes(holds: boolean): string {
  return holds ? "yes" : "no";
}

function sentences(text: string): readonly string[] {
  const bare = text.replaceAll(/ ?\[\d\]/g, "");
  return bare.split(/(?<=\.) /);
}

function contexts(ask: Ask): readonly string[] {
  return named(ask, "CONTEXT");
}

function named({ blocks }: Ask, name: string): readonly string[] {
  return [...blocks].flatMap(([key, text]) => (key.startsWith(`${name} `) ? [text] : []));
}

function blocksIn(prompt: string): ReadonlyMap<string, string> {
  const found = prompt.matchAll(/^BEGIN ([A-Z]+(?: \d+)?) \w+\n(.*)$/gm);
  return new Map([...found].map(([, name = "", text = ""]) => [name, String(JSON.parse(text))]));
}

function instructionsOf(body: unknown): string {
  const { instructions = "" } = body as { readonly instructions?: string };
  return instructions;
}
