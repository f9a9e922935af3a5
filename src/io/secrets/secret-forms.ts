/** Shorter values would blacken ordinary text (`dev`, `1234`), and hide little. In characters. */
const shortestSecret = 6;
/** A shorter piece of base64 is found in other base64 by chance. In characters. */
const shortestPiece = 8;

/**
 * The forms in which a secret appears in texts: unchanged, line by line, in JSON, in a URL, in a form, in base64 (also
 * within a longer encoded text, such as `user:secret`) and in hexadecimal. Empty for secrets that are too short. *Not*
 * found: a secret that was cut, reversed, encrypted, or encoded in another way.
 */
export function secretForms(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  // Each line of a key in several lines is a secret; its frame is not.
  const parts = [secret.trim(), ...lines.filter((line) => !line.startsWith("-----"))];
  const long = parts.filter((part) => part.length >= shortestSecret);
  return [...new Set(long.flatMap(formsOf))];
}

function formsOf(text: string): readonly string[] {
  const hex = Buffer.from(text).toString("hex");
  return [
    text,
    ...jsonForms(text),
    ...percentForms(text),
    hex,
    hex.toUpperCase(),
    ...base64Forms(text),
  ];
}

function jsonForms(text: string): readonly string[] {
  const escaped = jsonEscaped(text);
  return [
    escaped,
    // The arguments of a tool call are JSON within JSON; PHP escapes slashes.
    jsonEscaped(escaped),
    escaped.replaceAll("/", "\\/"),
    // Python's json.dumps escapes non-ASCII characters; Go, Gson and .NET also those with a meaning in HTML.
    unitEscaped(escaped, /[\u0080-\uFFFF]/g),
    unitEscaped(escaped, /[&<>]/g),
    unitEscaped(escaped, /[&<>=']/g),
    unitEscaped(escaped, /[&<>+'`\u0080-\uFFFF]/g).replaceAll(/\\u[\da-f]{4}/g, upperDigits),
  ];
}

function upperDigits(escape: string): string {
  return `\\u${escape.slice(2).toUpperCase()}`;
}

/** The forms of encodeURIComponent, Python's urlencode and quote, with hexadecimal digits of either case. */
function percentForms(text: string): readonly string[] {
  const percent = percentEncoded(text);
  const all = percent.replaceAll(/[!'()*]/g, (mark) => `%${hexOf(mark).toUpperCase()}`);
  return [percent, all, all.replaceAll("%2F", "/")].flatMap((form) => [
    form,
    form.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    form.replaceAll("%20", "+"),
  ]);
}

function hexOf(mark: string): string {
  return mark.charCodeAt(0).toString(16);
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function unitEscaped(json: string, units: RegExp): string {
  return json.replaceAll(units, (unit) => `\\u${hexOf(unit).padStart(4, "0")}`);
}

/** encodeURIComponent throws for half of a surrogate pair, which has no UTF-8. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The secret alone, and its inner characters at each of the three places where it can begin within base64's groups of 3 bytes. */
function base64Forms(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const inner = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const shared = (before + bytes.length) % 3 === 0 ? 0 : 1;
    // The first and last characters hold bits of the neighbours too.
    return encoded.slice(before === 0 ? 0 : before + 1, encoded.length - shared);
  });
  const forms = [bytes.toString("base64"), bytes.toString("base64url"), ...inner];
  return forms.flatMap((form) =>
    form.length < shortestPiece ? [] : [form, form.replaceAll("-", "+").replaceAll("_", "/")],
  );
}
