/** A tool's name of a metric as a metric's id, which has letters, digits, `_`, `.` and `-` only. */
export function metricId(name: string): string {
  const id = name.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^_+|_+$/g, "");
  return id === "" ? "metric" : id;
}
