import { canonicalJson } from "../../model/json.ts";
import type { Conversation, ImagePart } from "../../model/models/message.ts";
import type { ToolResults } from "../../model/models/candidate.ts";
import type { Dataset } from "../../model/definition/dataset.ts";
import type { HashText } from "../../model/ports/files.ts";
import { problem, Refusal, type Place, type Problem } from "../../model/refusal.ts";
import type { Case, Row } from "../../model/outcomes/sample.ts";
import type { Task } from "../../model/definition/suite.ts";
import { totalComplaint } from "../../prompt/image.ts";
import { imagesOf, parseMessages, renderMessages, withImages } from "../../prompt/messages.ts";
import type { Complaint } from "../../prompt/row-messages.ts";
import { renderToolResults } from "../../prompt/tool-results.ts";
import type { FileTools } from "../../tools.ts";
import { openImageFiles, type ImageFiles } from "./images.ts";

/** The conversations that a task's rows contain. */
export interface Conversations {
  /** undefined if the task has a `prompt_template`. */
  readonly render: ((row: Row) => Conversation) | undefined;
  /** undefined if the task has no `tool_results`. */
  readonly toolResults: ((row: Row) => ToolResults) | undefined;
  /** Hash of the image files that rows name; undefined if none. */
  readonly imagesHash: string | undefined;
  /** Adds the known facts of an image's file. */
  readonly knownImage: (part: ImagePart) => ImagePart;
}

type CasesToLookAt = AsyncIterable<readonly Case[]> | Iterable<readonly Case[]>;

type AskedTask = Pick<Task, "messages" | "tool_results" | "images" | "choices">;

const problemsListed = 20;

/** Checks every row that is asked as messages, and every image, before anything costs money. */
export async function openConversations(
  spec: AskedTask,
  { cases, place }: { readonly cases: CasesToLookAt; readonly place: Place },
  files: FileTools,
): Promise<{ readonly conversations: Conversations } | { readonly problems: readonly Problem[] }> {
  const images = openImageFiles(spec.images ?? { directory: "", root: "" }, files);
  const reading = readingOf(spec);
  // The manifest's own results were checked with it.
  const isInRows = spec.messages !== undefined || typeof spec.tool_results === "string";
  const problems = isInRows ? await lookAt(cases, reading, { images, place }) : [];
  if (problems.length > 0) return { problems };
  const { converse, results } = reading;
  return {
    conversations: {
      render: converse && ((row) => withImages(known(converse(row)), images.known)),
      toolResults: results && ((row) => known(results(row))),
      imagesHash: images.hash(),
      knownImage: images.known,
    },
  };
}

/** Adds tool results and images to the cases' content, so that a row with another result is another case. */
export function withContents(
  dataset: Dataset,
  { render, toolResults, imagesHash }: Conversations,
  hashText: HashText,
): Dataset {
  if (toolResults === undefined && imagesHash === undefined) return dataset;
  const contentOf = ({ row, content }: Case): string => {
    const asked = imagesHash === undefined ? undefined : render?.(row);
    const images = asked === undefined ? [] : imagesOf(asked).map(({ sha256 = null }) => sha256);
    return hashText(canonicalJson([content, toolResults?.(row) ?? null, images]));
  };
  return {
    ...dataset,
    cases: async function* cases() {
      for await (const batch of dataset.cases())
        yield batch.map((each) => Object.assign({ ...each }, { content: contentOf(each) }));
    },
  };
}

/** Messages of a task without image files; independent of the rows with which it was opened. */
export function conversationsOf(spec: AskedTask): Conversations {
  const { converse, results } = readingOf(spec);
  return {
    render: converse && ((row) => known(converse(row))),
    toolResults: results && ((row) => known(results(row))),
    imagesHash: undefined,
    knownImage: (part) => part,
  };
}

interface Reading {
  readonly converse: ((row: Row) => Conversation | Complaint) | undefined;
  readonly results: ((row: Row) => ToolResults | Complaint) | undefined;
}

function readingOf({ messages, tool_results, choices }: AskedTask): Reading {
  const parsed = messages && parseMessages(messages);
  return {
    converse: parsed && ((row) => renderMessages(parsed, { row, choices })),
    results:
      tool_results === undefined
        ? undefined
        : (row) => renderToolResults(tool_results, { row, choices }),
  };
}

/** A tool may be named `complaint`. */
function isComplaint(made: object): made is Complaint {
  return "complaint" in made && typeof made.complaint === "string";
}

/** Every row was checked before: a row that can't be asked now has changed since. */
function known<T extends object>(made: T | Complaint): T {
  if (!isComplaint(made)) return made;
  throw new Refusal(problem("messages_changed_row", { reason: made.complaint }));
}

async function lookAt(
  cases: CasesToLookAt,
  reading: Reading,
  { images, place }: { readonly images: ImageFiles; readonly place: Place },
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  let more = 0;
  for await (const batch of cases)
    for (const { row, caseId, index } of batch) {
      const reason = await complaintOf(row, reading, images);
      if (reason === undefined) continue;
      if (problems.length === problemsListed) more += 1;
      else problems.push(problem("messages_bad_row", { caseId, row: index + 1, reason }, place));
    }
  if (more > 0) problems.push(problem("messages_more_rows", { count: more }, place));
  return problems;
}

async function complaintOf(
  row: Row,
  { converse, results }: Reading,
  images: ImageFiles,
): Promise<string | undefined> {
  const recorded = results?.(row) ?? {};
  if (isComplaint(recorded)) return recorded.complaint;
  const made = converse?.(row);
  if (made === undefined) return undefined;
  return isComplaint(made) ? made.complaint : imagesComplaint(imagesOf(made), images);
}

async function imagesComplaint(
  parts: readonly ImagePart[],
  images: ImageFiles,
): Promise<string | undefined> {
  for (const { file } of parts) {
    const { complaint } = file === undefined ? {} : await images.describe(file);
    if (complaint !== undefined) return complaint;
  }
  return totalComplaint(parts.map(images.known));
}
