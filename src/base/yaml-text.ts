import { parse } from "yaml";

/** The value of a YAML text from an outside source; undefined if it can't be read. Warnings are not printed. */
export function yamlIn(text: string): unknown {
  try {
    const value: unknown = parse(text, { logLevel: "error" });
    return value;
  } catch {
    return undefined;
  }
}
