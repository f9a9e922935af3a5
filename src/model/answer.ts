/** An answer that the suite gives itself, as a candidate. */
export interface AnswerSpec {
  readonly id: string;
  readonly kind: "answer";
  /** A template: `{{prompt}}` and row fields. */
  readonly answer: string;
  /** The row's field with the transcript of its way to the answer; undefined: it has no steps. */
  readonly transcript: string | undefined;
  /** The row's field with files that it leaves; undefined: it leaves no workspace. */
  readonly files: string | undefined;
}
