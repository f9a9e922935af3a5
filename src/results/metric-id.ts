/** Converts a tool's name of a metric to an id, which has only letters, digits, `_`, `.` and `-`. */
export function metricId(name: string): string {
  const id = name.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^_+|_+$/g, "");
  return id === "" ? "metric" : id;
}

/** The id of a metric as lm-eval prints it: a comma parts it from its filter, where ids have a point. */
export function filteredId(name: string): string {
  return metricId(name.replace(/,none$/, "").replace(",", "."));
}

/** The id of a metric that somebody named by its id, or as the tool does; the name itself if no such metric is known. */
export function idAmong(name: string, known: ReadonlySet<string>): string {
  return [name, metricId(name), filteredId(name)].find((id) => known.has(id)) ?? name;
}
