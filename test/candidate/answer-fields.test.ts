import { expect, it } from "vitest";
import { readUsage } from "../../src/candidate/answer-fields.ts";

const none = { cached_tokens: 0, reasoning_tokens: 0, usd: null };

it.each([
  [
    { input_tokens: 3, output_tokens: 4 },
    { input_tokens: 3, output_tokens: 4, ...none },
  ],
  [
    { prompt_tokens: 3, completion_tokens: 4 },
    { input_tokens: 3, output_tokens: 4, ...none },
  ],
  [
    {
      prompt_tokens: 3,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
      usd: 0.5,
    },
    { input_tokens: 3, output_tokens: 4, cached_tokens: 2, reasoning_tokens: 1, usd: 0.5 },
  ],
  [
    { input_tokens: 3, output_tokens: 4, input_tokens_details: { cached_tokens: 2 } },
    { input_tokens: 3, output_tokens: 4, ...none, cached_tokens: 2 },
  ],
  [{ prompt_tokens: 3 }, null],
  [{ prompt_tokens: -1, completion_tokens: 4 }, null],
  [[3, 4], null],
])("the usage %j that a program hands on is read", (usage, wanted) => {
  expect(readUsage(usage)).toEqual(wanted);
});
