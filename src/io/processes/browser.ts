import { spawn } from "node:child_process";
import type { Environment } from "../../model/ports/processes.ts";

/** Result of opening a page. */
type OpenedPage = { readonly kind: "opened" } | { readonly kind: "none"; readonly reason: string };

/** Opens an address in the user's browser and does not wait for it. */
export async function openInBrowser(
  url: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<OpenedPage> {
  const argv = commandFor(url, env, platform);
  if (typeof argv === "string") return { kind: "none", reason: argv };
  const [program, ...args] = argv;
  return new Promise((tell) => {
    const child = spawn(program, args, { detached: true, stdio: "ignore" });
    child.on("error", () => tell({ kind: "none", reason: `${program} could not be started` }));
    child.on("spawn", () => {
      child.unref();
      tell({ kind: "opened" });
    });
  });
}

/** A command without a shell; or, in words, why there is none. */
function commandFor(
  url: string,
  env: Environment,
  platform: NodeJS.Platform,
): readonly [string, ...string[]] | string {
  const browser = env["BROWSER"];
  if (browser === "none") return "BROWSER is none";
  if (browser) return [browser, url];
  if (platform === "darwin") return ["open", url];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  if (env["CI"]) return "this is a CI job";
  if (!env["DISPLAY"] && !env["WAYLAND_DISPLAY"]) return "there is no display";
  return ["xdg-open", url];
}
