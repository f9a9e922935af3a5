import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/**
 * A shop's assistant, scripted: it answers to messages as Chat Completions has them, and calls tools. No model is asked, so
 * that the example runs anywhere and for nothing.
 */
export function reply(messages) {
  const last = messages.at(-1);
  if (last.role === "tool") return afterTools(messages);
  const text = textIn(last.content);
  const picture = imageIn(last.content);
  if (picture !== undefined) return say(`I see ${picture}. ${nameIn(messages)}, what about it?`);
  if (/\bnoise\b/.test(text)) return call([{ name: "get_order", arguments: '{"id": ' }]);
  const orders = text.match(/\b[A-Z]-\d+\b/g) ?? [];
  if (/\bcall me\b/.test(text)) return say(`Hello, ${text.trim().split(/\s+/).at(-1)}.`);
  if (/\brefund\b/.test(text) && orders.length > 0)
    return { ...call(orders.map((id) => ({ name: "refund", arguments: { id } }))), text: "I see to it." };
  if (orders.length > 0)
    return call(orders.map((id) => ({ name: "get_order", arguments: { id } })));
  if (/\bwho am I\b/.test(text)) return say(`You are ${nameIn(messages)}.`);
  return say("Which order is it?");
}

function afterTools(messages) {
  const from = messages.findLastIndex(({ role }) => role === "assistant");
  const given = messages.slice(from + 1).map(({ content }) => content);
  return say(given.join(" "));
}

function say(text) {
  return { text, calls: [] };
}

/** The number of messages so far makes the ids unlike each other. */
function call(calls) {
  return { text: null, calls };
}

function nameIn(messages) {
  const said = messages.filter(({ role }) => role === "user").map(({ content }) => textIn(content));
  const found = said.findLast((text) => /\bcall me\b/.test(text));
  return found === undefined ? "Friend" : found.trim().split(/\s+/).at(-1);
}

function textIn(content) {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
}

function imageIn(content) {
  if (typeof content === "string") return undefined;
  const url = content.find(({ type }) => type === "image_url")?.image_url.url;
  if (url === undefined) return undefined;
  if (!url.startsWith("data:")) return `the picture at ${url}`;
  const bytes = Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
  // The width and height of a PNG stand in its header.
  return `a picture of ${bytes.readUInt32BE(16)} × ${bytes.readUInt32BE(20)} pixels`;
}

/** The calls as Chat Completions has them. */
export function chatCalls(messages, calls) {
  return calls.map(({ name, arguments: given }, i) => ({
    id: `call_${messages.length}_${i}`,
    type: "function",
    function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given) },
  }));
}

/** A worker: a request a line in, an answer a line out. */
async function work() {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, messages } = JSON.parse(line);
    const { text, calls } = reply(messages);
    const answer = { id, output_text: text, tool_calls: chatCalls(messages, calls) };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await work();
