import type { Json } from "../json.ts";
import type { ImageDetail, MessageRole } from "../models/message.ts";

/** The question of a task: a prompt template, or templates of messages. */
export interface TaskQuestion {
  /** "" if `messages` are used instead. */
  readonly prompt_template: string;
  readonly messages?: MessagesSpec;
}

/** A task's question, with its tool results and images. */
export interface AskedAs extends TaskQuestion {
  /** Recorded tool results, given to a candidate that calls a tool. */
  readonly tool_results?: ToolResultsSpec;
  /** Folder of the images that rows and messages name. */
  readonly images?: ImageFolder;
}

/** The parsed `messages_template`. */
export interface MessagesSpec {
  readonly start: readonly MessageTemplate[];
  /** The field with the user's further turns, as a template: `{{turns}}`. */
  readonly turns: string | undefined;
}

export type MessageTemplate =
  /** `{{messages}}`: a list of messages from the row, as a value. */
  | { readonly kind: "field"; readonly text: string }
  | {
      readonly kind: "message";
      readonly role: MessageRole;
      /** Every text is a template. */
      readonly content: string | readonly PartTemplate[];
    };

export type PartTemplate =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      /** A file beside the data, or an address: https or a data URL. */
      readonly from: "file" | "url";
      readonly text: string;
      readonly detail: ImageDetail | undefined;
    };

/** Results by the tool's name, or the field of a row that has them, as a template: `{{tool_results}}`. */
export type ToolResultsSpec = string | Readonly<Record<string, readonly ToolResultTemplate[]>>;

export interface ToolResultTemplate {
  /** Only a call with exactly these arguments gets this result; undefined: any call does. */
  readonly arguments: Json | undefined;
  /** Every text in it is a template; a value that is not a text is given as JSON. */
  readonly output: Json;
  readonly is_error: boolean;
}

/** Image files are relative to the first folder, and stay inside the second. */
export interface ImageFolder {
  readonly directory: string;
  readonly root: string;
}
