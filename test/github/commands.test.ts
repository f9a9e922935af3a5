import { describe, expect, it } from "vitest";
import { createCommandReader } from "../support/github/commands.ts";

function executed(...chunks: readonly string[]) {
  const reader = createCommandReader();
  const stream = reader.stream();
  for (const chunk of chunks) stream.feed(chunk);
  stream.end();
  return reader.executed.map(({ name, data }) => `${name}=${data}`);
}

// The stand-in must be as gullible as the runner: a parser that misses a form would pass a hole as closed.
describe("the stand-in's parser of workflow commands", () => {
  it.each([
    ["::error file=a,line=1::x%0Ay%25", ["error=x\ny%"]],
    ["\u0085 \u3000\t::notice::x", ["notice=x"]],
    ["text ::error::x", []],
    ["text ##[error]x", ["error=x"]],
    ["a\r::warning::x\rb", ["warning=x"]],
    ["::ERROR::x", ["ERROR=x"]],
    ["##[Set-Output name=a]b", ["Set-Output=b"]],
    ["::unknown::x", []],
    ["::unknown::##[error]x", ["error=x"]],
    ["::error", []],
    [
      "::stop-commands::tok\n::error::x\n##[error]x\n::tok::\n::error::y",
      ["stop-commands=tok", "error=y"],
    ],
  ])("reads %j", (text, expected) => {
    expect(executed(text)).toEqual(expected);
  });

  it("puts pieces of a line together", () => {
    expect(executed("::er", "ror::a\r", "\n##[war", "ning]b")).toEqual(["error=a", "warning=b"]);
  });
});
