/**
 * Keeps Node's inspector closed, which SIGUSR1 would open: a process that may send signals to this one, such as a
 * candidate, could read its secrets there.
 */
export function keepInspectorShut(): void {
  if (process.platform !== "win32") process.on("SIGUSR1", () => undefined);
}
