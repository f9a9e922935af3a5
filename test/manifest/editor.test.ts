import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";

const schemaPath = fileURLToPath(new URL("../../schemas/suite.schema.json", import.meta.url));
const schema: JsonObject = JSON.parse(readFileSync(schemaPath, "utf8"));

/** The language server of VS Code's YAML extension, spoken to as an editor does: JSON-RPC over stdio. */
class Editor {
  readonly #child;
  readonly #waiting = new Map<number, (result: Json) => void>();
  #bytes = Buffer.alloc(0);
  #next = 0;

  constructor() {
    const require = createRequire(import.meta.url);
    const home = dirname(require.resolve("yaml-language-server/package.json"));
    const server = join(home, "bin", "yaml-language-server");
    this.#child = spawn(process.execPath, [server, "--stdio"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      for (let message = this.#take(); message !== undefined; message = this.#take())
        this.#receive(message);
    });
  }

  async start(): Promise<void> {
    const capabilities = {
      workspace: { configuration: true },
      textDocument: { hover: { contentFormat: ["markdown"] }, completion: {} },
    };
    await this.ask("initialize", { processId: process.pid, rootUri: null, capabilities });
    this.tell("initialized", {});
  }

  /** Opens a manifest whose first line names the published schema. `|` is where the cursor stands. */
  open(name: string, marked: string): { uri: string; line: number; character: number } {
    const text = `# yaml-language-server: $schema=${schemaPath}\n${marked.replace("|", "")}`;
    const before = `\n${marked.slice(0, marked.indexOf("|"))}`.split("\n");
    const uri = pathToFileURL(`/tmp/${name}.yaml`).href;
    const textDocument = { uri, languageId: "yaml", version: 1, text };
    this.tell("textDocument/didOpen", { textDocument });
    return { uri, line: before.length - 1, character: (before.at(-1) ?? "").length };
  }

  async at(
    method: "hover" | "completion",
    { uri, line, character }: ReturnType<Editor["open"]>,
  ): Promise<Json> {
    const where = { textDocument: { uri }, position: { line, character } };
    return this.ask(`textDocument/${method}`, where);
  }

  ask(method: string, params: Json): Promise<Json> {
    this.#next += 1;
    const id = this.#next;
    const answered = new Promise<Json>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    this.#send({ id, method, params });
    return answered;
  }

  tell(method: string, params: Json): void {
    this.#send({ method, params });
  }

  close(): void {
    this.#child.kill();
  }

  #send(message: JsonObject): void {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #take(): JsonObject | undefined {
    const end = this.#bytes.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const length = Number(
      /Content-Length: (\d+)/i.exec(this.#bytes.toString("latin1", 0, end))?.[1],
    );
    if (this.#bytes.length < end + 4 + length) return undefined;
    const text = this.#bytes.toString("utf8", end + 4, end + 4 + length);
    this.#bytes = this.#bytes.subarray(end + 4 + length);
    return JSON.parse(text);
  }

  #receive({ id, method, result, params }: JsonObject): void {
    if (typeof method === "string") {
      // The server asks for the user's settings: there are none.
      const items = isJsonObject(params) && Array.isArray(params["items"]) ? params["items"] : [];
      if (id !== undefined && !this.#child.killed)
        this.#send({ id, result: items.map(() => ({})) });
      return;
    }
    if (typeof id !== "number") return;
    this.#waiting.get(id)?.(result ?? null);
    this.#waiting.delete(id);
  }
}

describe("in an editor", () => {
  let editor: Editor;
  beforeAll(async () => {
    editor = new Editor();
    await editor.start();
  });
  afterAll(() => editor.close());

  const task = "name: a\ndataset: d.jsonl\nprompt_template: x\n";

  it.each([
    ["a key of a task", `${task}repe|ats: 3\n`, ["Samples a case", "5"]],
    ["a key of few-shot", `${task}fewshot:\n  separ|ator: x\n`, ["Between the examples", "---"]],
    ["a grader's option", `${task}grader: { type: numeric, toler|ance: 1 }\n`, ["0.01"]],
    ["a choice of the run", "run:\n  max_sam|ples: 5\n", ["A seeded subset", "100"]],
    [
      "a rule's key",
      "gate:\n  rules:\n    - metric: x\n      max_dr|op: 1\n",
      ["Where higher is better"],
    ],
  ])("hovering over %s tells what it is, with an example", async (name, marked, words) => {
    const hover = await editor.at("hover", editor.open(name.replaceAll(" ", "-"), marked));
    const contents = isJsonObject(hover) ? hover["contents"] : undefined;
    const text = JSON.stringify(contents);
    for (const word of words) expect(text).toContain(word);
  });

  it.each([
    ["keys", `${task}out|\n`, ["output_extraction"]],
    ["keys of a mapping", `${task}fewshot:\n  co|\n`, ["count"]],
    ["words that are allowed", `${task}grader: exact|\n`, ["exact_match"]],
    [
      "kinds of extraction",
      `${task}output_extraction:\n  type: |\n`,
      ["label_set", "regex_last", "json"],
    ],
  ])("completion offers %s", async (name, marked, wanted) => {
    const offered = await editor.at(
      "completion",
      editor.open(`c-${name.replaceAll(" ", "-")}`, marked),
    );
    const items = isJsonObject(offered) && Array.isArray(offered["items"]) ? offered["items"] : [];
    const labels = items.flatMap((item) => (isJsonObject(item) ? [item["label"]] : []));
    for (const label of wanted) expect(labels).toContain(label);
  });
});

describe("the published schema", () => {
  const ajv = new Ajv2020({ strict: false, discriminator: true });
  ajv.addSchema(schema, "suite");
  const properties = propertiesIn(schema, "#");

  it("has an example of every key", () => {
    const bare = properties.filter(([, about]) => !hasExamples(about)).map(([path]) => path);
    expect(bare).toEqual([]);
  });

  it("has examples and defaults that it takes itself", () => {
    const wrong = properties.flatMap(([path, about]) => {
      const told = [...(Array.isArray(about["examples"]) ? about["examples"] : [])];
      const isDefault = about["default"] !== undefined;
      const all = isDefault ? [...told, about["default"]] : told;
      const check = ajv.getSchema(`suite${path}`);
      return all.some((value) => check?.(value) !== true) ? [path] : [];
    });
    expect(wrong).toEqual([]);
  });
});

function propertiesIn(value: Json | undefined, path: string): readonly [string, JsonObject][] {
  if (Array.isArray(value)) return value.flatMap((item, i) => propertiesIn(item, `${path}/${i}`));
  if (!isJsonObject(value)) return [];
  const own = isJsonObject(value["properties"]) ? Object.entries(value["properties"]) : [];
  const nested = Object.entries(value).filter(
    ([key]) => !["examples", "default", "enum", "const"].includes(key),
  );
  return [
    ...own.flatMap(([key, about]): [string, JsonObject][] =>
      isJsonObject(about) ? [[`${path}/properties/${pointer(key)}`, about]] : [],
    ),
    ...nested.flatMap(([key, part]) => propertiesIn(part, `${path}/${pointer(key)}`)),
  ];
}

function pointer(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** There, or behind its `$ref`. */
function hasExamples({ examples, $ref }: JsonObject): boolean {
  if (Array.isArray(examples)) return examples.length > 0 && !examples.includes(null);
  if (typeof $ref !== "string") return false;
  const target = $ref
    .split("/")
    .slice(1)
    .reduce<Json | undefined>((part, key) => (isJsonObject(part) ? part[key] : undefined), schema);
  return isJsonObject(target) && hasExamples(target);
}
