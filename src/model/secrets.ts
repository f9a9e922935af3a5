/** Values that may not be written or printed. Learnt while a run is prepared; used by everything that writes. */
export interface Secrets {
  /** Hides the values of these environment variables from now on. */
  readonly learn: (names: SecretNames) => void;
  /** A whole text without the secrets in it: one that is cut in two is not found. */
  readonly redact: (text: string) => string;
  /** JSON of a value without the secrets in its texts; it stays JSON whatever the secret is. */
  readonly stringify: (value: unknown, indent?: number) => string;
}

/** Names of environment variables. */
export interface SecretNames {
  /** Keys: their values are secrets, whatever they look like. */
  readonly keys: readonly string[];
  /** Variables that may be settings as well: hidden unless name and value are plainly public (`APP_MODE=production`). */
  readonly variables: readonly string[];
  /** Texts that are hidden, whatever they look like. */
  readonly texts?: readonly HiddenText[] | undefined;
}

/** A text that may not be shown, and what stands in its place. */
export interface HiddenText {
  readonly text: string;
  readonly shown: string;
}
