import { startProvider } from "../test/support/provider/server.ts";

/** A model in a process of its own: it calls a tool as often as the prompt's last word says, then answers. Ends with its stdin. */
const provider = await startProvider({
  script: ({ attempt, prompt }) =>
    attempt < Number(prompt.split(" ").at(-1))
      ? { kind: "answer", toolCalls: [{ name: "mcp__graph__count", arguments: {} }] }
      : { kind: "answer" },
  answer: () => "done",
});
console.log(provider.url);
process.stdin.on("end", () => process.exit());
process.stdin.resume();
