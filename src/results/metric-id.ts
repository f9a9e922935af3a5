/** Converts a tool's name of a metric to an id, which has only letters, digits, `_`, `.` and `-`. */
export function metricId(name: string): string {
  const id = name.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^_+|_+$/g, "");
  return id === "" ? "metric" : id;
}
