import { textOfContent, type Message } from "../src/model/models/message.ts";
import type { JsonObject } from "../src/model/json.ts";
import type { PageSample } from "../src/model/page.ts";
import { Long, Section } from "./parts.tsx";
import { Plain } from "./text.tsx";

/** A conversation, turn by turn. */
export function Conversation({ messages }: { readonly messages: readonly Message[] }) {
  return (
    <ol class="turns">
      {messages.map((message, i) => (
        <li key={i} class={message.role}>
          <h4>{message.role}</h4>
          {message.content !== "" && <Long text={textOfContent(message.content)} />}
          {(message.tool_calls ?? []).map((call) => (
            <Call key={call.id} name={call.name} text={call.arguments} />
          ))}
        </li>
      ))}
    </ol>
  );
}

/** Events before an answer: tool calls and their results, reasoning, further turns. */
export function Steps({ sample, name }: { readonly sample: PageSample; readonly name: string }) {
  const steps = sample.transcript ?? [];
  if (steps.length === 0) return null;
  const list = (
    <ol class="turns">
      {steps.map((entry, i) => (
        <li key={i} class={wordOf(entry, "type")}>
          <Entry entry={entry} />
        </li>
      ))}
    </ol>
  );
  return name === "" ? list : <Section title={`${name} (${steps.length} steps)`}>{list}</Section>;
}

/** Entries of a kind that Regrade does not read are shown unchanged. */
function Entry({ entry }: { readonly entry: JsonObject }) {
  const type = wordOf(entry, "type");
  if (type === "tool_call")
    return <Call name={wordOf(entry, "name")} text={jsonText(entry["arguments"])} />;
  const isResult = type === "tool_result";
  const gave = entry["is_error"] === true ? "tool failed" : "tool gave";
  const text = isResult ? entry["output"] : (entry["text"] ?? entry["reason"]);
  return (
    <>
      <h4>
        <Plain text={isResult ? gave : wordOf(entry, "role") || type || "entry"} />
      </h4>
      <Long text={jsonText(text ?? entry)} />
    </>
  );
}

function Call({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <>
      <h4>
        calls <Plain text={name} />
      </h4>
      <Long text={text} />
    </>
  );
}

function wordOf(entry: JsonObject, key: string): string {
  const value = entry[key];
  return typeof value === "string" ? value : "";
}

function jsonText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}
