/** Values that a Go template may use here. */
interface TemplateValues {
  /** Columns and inputs. */
  readonly vars: Readonly<Record<string, string>>;
  readonly name: string;
}

/**
 * Fills `{{.Vars.x}}`, `{{index .Vars "x y"}}` and a few other fields, and supports the marks that trim white space.
 * Functions and blocks of Go's templates are reported as a fault.
 */
export function fillGoTemplate(
  template: string,
  values: TemplateValues,
): { readonly text: string } | { readonly fault: string } {
  const faults: string[] = [];
  let [text, rest] = ["", template];
  for (;;) {
    const found = /\{\{(-\s)?(.*?)(\s-)?\}\}/s.exec(rest);
    if (found === null) break;
    const [whole, trimsBefore, inner = "", trimsAfter] = found;
    const before = rest.slice(0, found.index);
    const value = valueOf(inner.trim(), values);
    if (typeof value !== "string") faults.push(value.fault);
    text +=
      (trimsBefore === undefined ? before : before.replace(/[ \t\r\n]+$/, "")) +
      (typeof value === "string" ? value : "");
    rest = rest.slice(found.index + whole.length);
    if (trimsAfter !== undefined) rest = rest.replace(/^[ \t\r\n]+/, "");
  }
  if (faults.length === 0 && rest.includes("{{")) return { fault: "a {{ is not closed" };
  return faults.length > 0 ? { fault: faults.join("; ") } : { text: text + rest };
}

function valueOf(
  inner: string,
  { vars, name }: TemplateValues,
): string | { readonly fault: string } {
  const [, plain, quoted] =
    /^(?:\.Vars\.([\p{L}_][\p{L}\p{Nd}_]*)|index\s+\.Vars\s+"([^"\\]*)")$/u.exec(inner) ?? [];
  const key = plain ?? quoted;
  if (key !== undefined)
    return Object.hasOwn(vars, key)
      ? (vars[key] ?? "")
      : { fault: `there is no column or input ${key}` };
  if (inner === ".TaskName") return name;
  if (/^\/\*.*\*\/$/s.test(inner)) return "";
  if (inner === ".Iteration" || inner === ".Attempt") return "0";
  if (inner === ".JobID" || inner === ".Timestamp")
    return { fault: `{{${inner}}} differs in every run, so that runs can't be compared` };
  return { fault: `{{${inner}}} is none of them` };
}
