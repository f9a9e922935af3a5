import { readFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { regrade } from "../support/cli.ts";
import { startProvider } from "../support/provider/server.ts";

const page = await readFile("docs/agents.md", "utf8");
const files = [...page.matchAll(/^<!-- (?:suite|file): (\S+) -->\n```\w+\n([^]*?)^```$/gm)];

it.skipIf(process.platform === "win32")(
  "gives a suite of a model with tools that works as it stands",
  async () => {
    await using model = await startProvider({
      script: ({ attempt }) =>
        attempt === 0
          ? {
              kind: "answer",
              toolCalls: [{ name: "mcp__words__count", arguments: { text: "one two three" } }],
            }
          : { kind: "answer" },
      answer: () => "3",
    });
    expect(files.map(([, path]) => path)).toEqual(["suite.yaml", "words.py"]);
    await using fixture = await createFixture(
      Object.fromEntries(
        files.map(([, path = "", text = ""]) => [
          path,
          text.replace("http://127.0.0.1:8000/v1", model.url),
        ]),
      ),
    );
    const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
    expect(end.code, end.stderr + end.stdout).toBe(0);
    expect(JSON.stringify(model.requests[1]?.body)).toContain('"content":"3"');
  },
);
