import { describe, expect, it } from "vitest";
import { textOfMessages } from "../../src/model/models/message.ts";
import type { Json } from "../../src/model/json.ts";
import type { MessagesSpec } from "../../src/model/definition/asked.ts";
import { imageComplaint, mostImageBytes } from "../../src/prompt/image.ts";
import { parseMessages, promptTemplateOf, renderMessages } from "../../src/prompt/messages.ts";
import { templateFields } from "../../src/prompt/template.ts";
import { renderToolResults } from "../../src/prompt/tool-results.ts";

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const field: MessagesSpec = { start: [{ kind: "field", text: "{{messages}}" }], turns: undefined };

function read(messages: Json | undefined) {
  const row = messages === undefined ? {} : { messages };
  return renderMessages(parseMessages(field), { row, choices: [] });
}

function complaint(messages: Json | undefined): string {
  const made = read(messages);
  return "complaint" in made ? made.complaint : "";
}

const user = (content: Json): Json => [{ role: "user", content }];

describe("messages of a template", () => {
  const spec: MessagesSpec = {
    start: [
      { kind: "message", role: "system", content: "Speak {{lang}}." },
      { kind: "field", text: "{{history}}" },
      {
        kind: "message",
        role: "user",
        content: [
          { type: "text", text: "{{q}}?" },
          { type: "image", from: "file", text: "{{id}}.png", detail: "low" },
        ],
      },
    ],
    turns: undefined,
  };
  const row = { lang: "{{q}}", q: "why", id: 7, history: [{ role: "user", content: "{{q}}" }] };

  it("have their fields filled in once, and a row's own messages among them as they are", () => {
    expect(renderMessages(parseMessages(spec), { row, choices: [] })).toEqual({
      messages: [
        { role: "system", content: "Speak {{q}}." },
        { role: "user", content: "{{q}}" },
        {
          role: "user",
          content: [
            { type: "text", text: "why?" },
            { type: "image", file: "7.png", detail: "low" },
          ],
        },
      ],
      turns: [],
    });
  });

  it("name the fields that they use, so that a target's field among them is not kept from the candidate", () => {
    const names = templateFields(promptTemplateOf({ prompt_template: "", messages: spec })).names;
    expect([...names]).toEqual(["lang", "history", "q", "id"]);
  });

  it("give the user's turns one by one, the first with what they start from", () => {
    const turns = parseMessages({ start: spec.start.slice(0, 1), turns: "{{turns}}" });
    const said = ["a", [{ type: "text", text: "b" }], { role: "user", content: "c" }];
    expect(renderMessages(turns, { row: { turns: said }, choices: [] })).toEqual({
      messages: [
        { role: "system", content: "Speak ." },
        { role: "user", content: "a" },
      ],
      turns: [
        { role: "user", content: [{ type: "text", text: "b" }] },
        { role: "user", content: "c" },
      ],
    });
    const many = renderMessages(turns, { row: { turns: Array(200).fill("x") }, choices: [] });
    expect(many).toEqual({ complaint: "'turns' has 200 turns; at most 50 are allowed" });
  });
});

describe("a row's own messages", () => {
  it("are read as Chat Completions and the Responses API write them", () => {
    const url = `data:image/png;base64,${png}`;
    const made = read([
      { role: "developer", content: [{ type: "input_text", text: "Look." }] },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url, detail: "high" } },
          { type: "input_image", image_url: "https://x.example/a.png" },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", name: "f", content: "ok" },
    ]);
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(made).toEqual({
      messages: [
        { role: "developer", content: [{ type: "text", text: "Look." }] },
        {
          role: "user",
          content: [
            {
              type: "image",
              media_type: "image/png",
              bytes: 70,
              sha256,
              detail: "high",
              data: url,
            },
            { type: "image", url: "https://x.example/a.png" },
          ],
        },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "c1", name: "f", arguments: "{}" }],
        },
        { role: "tool", content: "ok", tool_call_id: "c1" },
      ],
      turns: [],
    });
    if ("messages" in made)
      expect(textOfMessages(made.messages)).toMatch(
        /^\[developer\]\nLook\.\n\n\[user\]\n\[image: image\/png, 70 bytes, sha256 \w{16}\]\n\[image: https:\/\/x\.example\/a\.png\]\n\n\[assistant\]\n\[calls f \{\}\]\n\n\[tool c1\]\nok$/,
      );
  });

  it.each<[string, Json | undefined, string]>([
    [
      "no list, as rows of another kind have",
      undefined,
      "there is no 'messages'; a list of messages is needed",
    ],
    ["null", null, "there is no 'messages'"],
    ["a text", "hi", "'messages' is a text"],
    ["an empty list", [], "'messages' is an empty list"],
    ["a text among them", ["hi"], "messages[0] is a text"],
    [
      "an unknown role",
      [{ role: "bot", content: "x" }],
      'messages[0] has the role "bot"; allowed are system, developer, user, assistant, tool',
    ],
    ["no content", [{ role: "user" }], "messages[0] has null as its content"],
    [
      "a key that would not be sent",
      [{ role: "user", content: "x", audio: {} }],
      "messages[0] has the key 'audio'",
    ],
    [
      "an unknown part",
      user([{ type: "video" }]),
      'messages[0] part 0 has the type "video"; allowed are text and image',
    ],
    ["an image from nowhere", user([{ type: "image" }]), "not exactly one of file and url"],
    [
      "an image from two places",
      user([{ type: "image", file: "a", url: "b" }]),
      "not exactly one of file and url",
    ],
    [
      "an image over http",
      user([{ type: "image", url: "http://x.example/a.png" }]),
      "allowed are https:// and data:",
    ],
    [
      "an image that is a text",
      user([{ type: "image", url: `data:image/png;base64,${btoa("hello")}` }]),
      "is no image",
    ],
    [
      "an image that says it is another",
      user([{ type: "image", url: `data:image/jpeg;base64,${png}` }]),
      "says that it is image/jpeg, and its bytes are image/png",
    ],
    [
      "a data URL that is no base64",
      user([{ type: "image", url: "data:image/png;base64,%%" }]),
      "is no base64",
    ],
    [
      "a strange detail",
      user([{ type: "image", file: "a", detail: "huge" }]),
      "a detail that is none of auto, low, high",
    ],
    [
      "an answer to no call",
      [{ role: "tool", content: "x", tool_call_id: "c9" }],
      'answers the call "c9", which no message before it makes',
    ],
    [
      "calls of the user",
      [{ role: "user", content: "x", tool_calls: [{}] }],
      "which messages of the assistant have",
    ],
    [
      "a call without a name",
      [{ role: "assistant", content: "", tool_calls: [{ id: "a" }] }],
      "a tool call that is not",
    ],
  ])("are refused where they are %s", (_, messages, words) => {
    expect(complaint(messages)).toContain(words);
  });
});

it("refuses an image that is too large, or a pointer of Git LFS, in words that say what to do", () => {
  const head = Buffer.from(png, "base64");
  expect(imageComplaint(head, head.length)).toBeUndefined();
  expect(imageComplaint(head, mostImageBytes + 1)).toContain("at most 20 MB");
  const pointer = Buffer.from("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a");
  expect(imageComplaint(pointer, 130)).toContain("check out with lfs: true");
});

describe("recorded results of tools", () => {
  const values = {
    row: { city: "Oslo", n: 51, results: { f: "x", g: [{ error: "gone" }] } },
    choices: [],
  };

  it("are filled in with the row's fields", () => {
    const spec = {
      weather: [
        { arguments: { city: "{{city}}" }, output: { t: "{{n}}" }, is_error: false },
        { arguments: undefined, output: "nowhere", is_error: true },
      ],
    };
    expect(renderToolResults(spec, values)).toEqual({
      weather: [
        { arguments: { city: "Oslo" }, output: '{"t":"51"}', is_error: false },
        { output: "nowhere", is_error: true },
      ],
    });
  });

  it("may stand in the row, in the same form", () => {
    expect(renderToolResults("{{results}}", values)).toEqual({
      f: [{ output: "x", is_error: false }],
      g: [{ output: "gone", is_error: true }],
    });
    expect(renderToolResults("{{none}}", values)).toEqual({});
    const odd = { row: { r: { f: [{ result: "a", error: "b" }] } }, choices: [] };
    expect(renderToolResults("{{r}}", odd)).toEqual({
      complaint: "'r.f' is neither a text nor a list of {arguments, result} or {arguments, error}",
    });
  });
});
