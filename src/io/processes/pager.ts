import { spawn } from "node:child_process";
import type { Environment } from "../../model/ports/processes.ts";

/**
 * Shows a text in the user's pager, as git does: `REGRADE_PAGER`, else `PAGER`, else less. Resolves when the user leaves it;
 * false if there is none (`cat`, an empty name, a program that can't be started): the caller prints the text.
 */
export async function showInPager(
  text: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const pager = (env["REGRADE_PAGER"] ?? env["PAGER"] ?? "less").trim();
  if (pager === "" || pager === "cat" || env["TERM"] === "dumb") return false;
  return new Promise((tell) => {
    // A pager may have arguments. The variable is the user's own, as in git; the command contains no data of a run.
    const child = spawn(pager, {
      shell: platform === "win32" ? true : "/bin/sh",
      // F: a text that fits is printed; R: colours; X: the text stays on the screen.
      env: { LESS: "FRX", LV: "-c", ...env },
      stdio: ["pipe", "inherit", "inherit"],
    });
    // Ctrl-C belongs to the pager: less uses it to stop a search.
    process.on("SIGINT", ignore);
    const end = (isShown: boolean): void => {
      process.off("SIGINT", ignore);
      tell(isShown);
    };
    // The user has seen enough.
    child.stdin.on("error", ignore);
    child.on("error", () => end(false));
    // The shell's codes for a program that is missing or can't be executed.
    child.on("close", (code) => end(code !== 127 && code !== 126));
    child.stdin.end(text);
  });
}

function ignore(): void {
  // The pager was closed early, which is no error.
}
