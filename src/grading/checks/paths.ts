/** A path in a workspace, without `.` and empty parts; or why it is none. */
export function workspacePath(written: string): string | { readonly fault: string } {
  if (written.startsWith("/") || /^[A-Za-z]:[\\/]/.test(written))
    return { fault: `${JSON.stringify(written)} is absolute; paths start at the workspace` };
  const parts: string[] = [];
  for (const part of written.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return outsideFault(written);
  }
  return parts.length === 0 ? outsideFault(written) : parts.join("/");
}

function outsideFault(written: string): { readonly fault: string } {
  return { fault: `${JSON.stringify(written)} is not a path inside the workspace` };
}

/** A folder is there where a file is below it: samples hold files alone. */
export function isThere(files: ReadonlyMap<string, unknown>, path: string): boolean {
  if (files.has(path)) return true;
  return [...files.keys()].some((each) => each.startsWith(`${path}/`));
}
