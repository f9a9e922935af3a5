import { textOfMessages } from "../src/model/models/message.ts";
import type { PageCase } from "../src/model/page.ts";
import { Conversation } from "./conversation.tsx";
import { InlineDiff } from "./diff.tsx";
import { Folded, Long, Section, type Sides } from "./parts.tsx";
import { Plain } from "./text.tsx";

/** The prompt, or the conversation before the last answer; also the earlier one if it was different. */
export function Asked({ texts, now, before }: Sides & { readonly texts: PageCase }) {
  const messages = now?.messages ?? texts.messages;
  const other = before?.prompt;
  return (
    <Section title="Asked">
      {messages === undefined ? (
        <Long text={now?.prompt ?? texts.prompt} />
      ) : (
        <Conversation messages={messages} />
      )}
      {other !== undefined && (
        <Folded title="Asked before">
          <InlineDiff before={other} now={now?.prompt ?? texts.prompt} />
        </Folded>
      )}
      {before?.messages !== undefined && (
        <Folded title="Conversation before">
          <Long text={textOfMessages(before.messages)} />
        </Folded>
      )}
    </Section>
  );
}

/** The target, and the graders' own targets. */
export function Expected({ texts: { target, targets = {} } }: { readonly texts: PageCase }) {
  const all = Object.entries(targets);
  if (target === null && all.length === 0) return null;
  return (
    <Section title="Expected">
      {target !== null && <Long text={target} />}
      {all.map(([name, text]) => (
        <div key={name}>
          <h4>
            <Plain text={name} />
          </h4>
          <Long text={text} />
        </div>
      ))}
    </Section>
  );
}
