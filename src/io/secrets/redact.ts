import { dropUnseen, mayHoldUnseen } from "../../base/colours.ts";
import type { SecretNames, Secrets } from "../../model/ports/secrets.ts";
import { plainlyPublic } from "./secret-values.ts";
import { secretForms } from "./secret-forms.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** The runner's tokens and the action's own, hidden in every run. */
const alwaysKeys = [
  "INPUT_TOKEN",
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "ACTIONS_RUNTIME_TOKEN",
  "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  // Data sets are read with this token, even if the suite asks no model.
  "HF_TOKEN",
];
/** Addresses that may hold a password. */
const alwaysVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

const blackened = "***";

/** Secrets that know the runner's tokens and the proxies' passwords, and learn the rest by name. */
export function createSecrets(environment: Environment): Secrets {
  const known = new Map<string, string>();
  let current = createRedactor(known);
  const learn = ({ keys, variables, texts = [] }: SecretNames): void => {
    const values = [
      ...keys.flatMap((name) => environment[name] ?? []),
      ...variables.flatMap((name) => hiddenParts(name, environment[name] ?? "")),
    ];
    for (const { text, shown } of texts) known.set(text, shown);
    for (const value of values) known.set(value, blackened);
    current = createRedactor(known);
  };
  learn({ keys: alwaysKeys, variables: alwaysVariables });
  return {
    learn,
    redact: (text) => current.redact(text),
    stringify: (value, indent) => current.stringify(value, indent),
  };
}

/** For an address with a password, both the whole address and the password are hidden. */
function hiddenParts(name: string, value: string): readonly string[] {
  return plainlyPublic(name, value) ? [] : [value, ...passwordOf(value)];
}

function passwordOf(value: string): readonly string[] {
  const password = URL.canParse(value) ? new URL(value).password : "";
  // The address has it percent-encoded; the program that uses it sees it decoded.
  return password === "" ? [] : [password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Replaces every form of the secrets by `***`, or by what is shown in their place. Costs nothing without secrets, and one search per form with them: a text
 * without a secret is returned unchanged.
 */
function createRedactor(
  secrets: ReadonlyMap<string, string>,
): Pick<Secrets, "redact" | "stringify"> {
  const shown: Forms = new Map(
    [...secrets].flatMap(([secret, label]) =>
      secretForms(secret).map((form) => [form, label] as const),
    ),
  );
  const forms = [...shown.keys()];
  if (forms.length === 0) {
    return { redact: (text) => text, stringify: (value, indent) => json(value, indent) };
  }
  const holdsOne = anyOf(forms);
  // Colours are dropped when a text is shown, and characters without a width are not seen: a secret with one inside would be readable.
  const redact: Secrets["redact"] = (text) => {
    const plain = dropUnseen(text);
    if (plain !== text && holdsOne.test(plain)) return redactForms(plain, shown);
    return holdsOne.test(text) ? redactForms(text, shown) : text;
  };
  // Within JSON text a secret looks as JSON writes it; a match there may be chance (`\n` and a secret that begins with n).
  const written = anyOf(forms.map((form) => JSON.stringify(form).slice(1, -1)));
  return {
    redact,
    stringify: (value, indent) => {
      const text = json(value, indent);
      if (!written.test(text) && !mayHoldUnseen(text)) return text;
      return json(withTexts(value, redact), indent);
    },
  };
}

/** One pass over a text instead of one a form: every sample is searched several times. */
function anyOf(forms: readonly string[]): RegExp {
  return new RegExp(forms.map((form) => RegExp.escape(form)).join("|"));
}

/** JSON has null for `undefined` in a list. */
function json(value: unknown, indent: number | undefined): string {
  return JSON.stringify(value ?? null, undefined, indent);
}

/** A copy of a JSON value with all its texts changed. Numbers are kept: digits alone don't reveal a secret. */
function withTexts(value: unknown, change: Secrets["redact"]): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => withTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(
    ([key, item]: [string, unknown]) => [change(key), withTexts(item, change)] as const,
  );
  return Object.fromEntries(entries);
}

/** Forms of secrets, and what is shown in their place. */
type Forms = ReadonlyMap<string, string>;

/** Overlapping secrets are hidden together: hiding each one alone would leave the end of the other. */
function redactForms(text: string, forms: Forms): string {
  const found = [...forms]
    .flatMap(([form, label]) => placesOf(text, form, label))
    .toSorted((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let shown = 0;
  for (const { start, end, label } of found) {
    if (start >= shown) parts.push(text.slice(shown, start), label);
    shown = Math.max(shown, end);
  }
  return [...parts, text.slice(shown)].join("");
}

interface HiddenPlace {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

function placesOf(text: string, form: string, label: string): readonly HiddenPlace[] {
  const places = [];
  for (let start = text.indexOf(form); start !== -1; start = text.indexOf(form, start + 1)) {
    places.push({ start, end: start + form.length, label });
  }
  return places;
}
