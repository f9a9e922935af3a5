/** How to read the extracted output from an answer. `from`: read the tool calls, as JSON, instead of the text. */
export type ExtractionSpec = ExtractionKind & { readonly from?: "tool_calls" };

type ExtractionKind =
  | { readonly type: "none" }
  | { readonly type: "take_first"; readonly lines: number }
  | RegexSpec
  | {
      readonly type: "label_set";
      readonly labels: readonly string[];
      readonly case_sensitive: boolean;
    }
  | {
      readonly type: "number";
      /**
       * How numbers are written if not in the plain form: with this decimal mark, and with spaces or the other mark
       * between groups.
       */
      readonly decimal?: DecimalMark;
    }
  | JsonSpec;

export type DecimalMark = "." | ",";

/** JSON pointers (RFC 6901): `path` is the extracted output, `fields` are outputs by name. */
export interface JsonSpec {
  readonly type: "json";
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** `pattern` is Python's `re`; `group` undefined means group 1 if there is one, otherwise 0. */
export interface RegexSpec {
  readonly type: "regex" | "regex_last";
  readonly pattern: string;
  readonly group: number | string | undefined;
  readonly flags: string;
}
