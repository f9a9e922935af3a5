/** Values that may not be written or printed. Collected while a run is prepared; used by everything that writes. */
export interface Secrets {
  /** Hides the values of these environment variables from now on. */
  readonly learn: (names: SecretNames) => void;
  /** Removes secrets from a whole text. A secret that was cut in two is not found. */
  readonly redact: (text: string) => string;
  /** A value as JSON, without the secrets in its texts; the result is valid JSON whatever the secrets are. */
  readonly stringify: (value: unknown, indent?: number) => string;
}

/** Names of environment variables. */
export interface SecretNames {
  /** Keys: their values are always secrets. */
  readonly keys: readonly string[];
  /** Variables that may be settings as well: hidden unless name and value are plainly public (`APP_MODE=production`). */
  readonly variables: readonly string[];
  /** Texts that are always hidden. */
  readonly texts?: readonly HiddenText[] | undefined;
}

/** A text that may not be shown, and its replacement. */
export interface HiddenText {
  readonly text: string;
  readonly shown: string;
}
