/** Values that a Go template may name here. */
interface TemplateValues {
  /** Columns and inputs. */
  readonly vars: Readonly<Record<string, string>>;
  readonly name: string;
}

/** Fills `{{.Vars.x}}` and the few other fields; anything else that Go's templates can do is a fault. */
export function fillGoTemplate(
  template: string,
  { vars, name }: TemplateValues,
): { readonly text: string } | { readonly fault: string } {
  const faults: string[] = [];
  const text = template.replaceAll(
    /\{\{(-?)(.*?)(-?)\}\}/gs,
    (whole, trim: string, inner: string) => {
      const value = valueOf(inner.trim(), { vars, name });
      if (typeof value === "string" && trim === "" && !whole.endsWith("-}}")) return value;
      faults.push(typeof value === "string" ? `${whole} trims white space` : value.fault);
      return "";
    },
  );
  if (text.includes("{{") && faults.length === 0 && /\{\{(?![^]*\}\})/.test(template))
    return { fault: "a {{ is not closed" };
  return faults.length > 0 ? { fault: faults.join("; ") } : { text };
}

function valueOf(
  inner: string,
  { vars, name }: TemplateValues,
): string | { readonly fault: string } {
  const [, key] = /^\.Vars\.([A-Za-z_][A-Za-z0-9_]*)$/.exec(inner) ?? [];
  if (key !== undefined)
    return Object.hasOwn(vars, key)
      ? (vars[key] ?? "")
      : { fault: `there is no column or input ${key}` };
  if (inner === ".TaskName") return name;
  if (inner === ".Iteration" || inner === ".Attempt") return "0";
  if (inner === ".JobID" || inner === ".Timestamp")
    return { fault: `{{${inner}}} differs in every run, so that runs can't be compared` };
  return { fault: `{{${inner}}} is none of them` };
}
