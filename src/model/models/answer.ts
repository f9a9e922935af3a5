/** An answer that the suite itself gives, used as a candidate. */
export interface AnswerSpec {
  readonly id: string;
  readonly kind: "answer";
  /** A template: `{{prompt}}` and row fields. */
  readonly answer: string;
  /** The row's field with the transcript of the steps before the answer; undefined: there are none. */
  readonly transcript: string | undefined;
  /** The row's field with the files of its workspace; undefined: it leaves no workspace. */
  readonly files: string | undefined;
}
