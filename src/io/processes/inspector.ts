/**
 * Keeps Node's inspector shut, which SIGUSR1 opens otherwise: whoever may send a signal to this process, as a candidate may,
 * could read its secrets there.
 */
export function keepInspectorShut(): void {
  if (process.platform !== "win32") process.on("SIGUSR1", () => undefined);
}
