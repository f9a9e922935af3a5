import { readFile } from "node:fs/promises";
import { Agent, request } from "undici";

/** Reference for asking models: sends the same requests over kept connections, 25 in flight, and does nothing else. */
const [url = "", data = "", model = ""] = process.argv.slice(2);
const inFlight = 25;
const rows = (await readFile(data, "utf8")).split("\n").filter(Boolean);
const prompts = rows.map((row) => `Answer: ${(JSON.parse(row) as { question: string }).question}`);
const dispatcher = new Agent({ connections: inFlight });
const headers = { "content-type": "application/json", authorization: "Bearer bench" };

const started = performance.now();
let next = 0;
let characters = 0;
const worker = async (): Promise<void> => {
  for (let prompt = prompts[next]; prompt !== undefined; prompt = prompts[next]) {
    next += 1;
    const body = JSON.stringify({ model, input: prompt, temperature: 0, max_output_tokens: 512 });
    const answer = await request(`${url}/responses`, { method: "POST", headers, body, dispatcher });
    const text = await answer.body.text();
    const parsed = JSON.parse(text) as { output: [{ content: [{ text: string }] }] };
    characters += parsed.output[0].content[0].text.length;
  }
};
await Promise.all(Array.from({ length: inFlight }, worker));
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000, characters }));
await dispatcher.close();
