import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Built } from "./build.ts";

/** The folders of the packages that a bundle's code came from, sorted. */
export function packagesOf({ metafile }: Pick<Built, "metafile">): readonly string[] {
  const output = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const folders = output
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}

/** The licences of the bundled packages require that they are distributed with them. */
export async function thirdPartyNotice(root: string, bundles: readonly Built[]): Promise<string> {
  const parts: string[] = [];
  const folders = [...new Set(bundles.flatMap(packagesOf))].toSorted();
  for (const folder of folders) {
    const about: unknown = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
    const { name, version, license } = about as Record<string, unknown>;
    const text = (await readLicence(join(root, folder))) ?? "(the package has no licence file)";
    parts.push(`${String(name)} ${String(version)} (${String(license)})\n\n${text.trim()}\n`);
  }
  const rule = `\n${"-".repeat(80)}\n\n`;
  const head = "The files in this folder hold code of these packages, under their own licences.\n";
  return [head, ...new Set(parts)].join(rule);
}

async function readLicence(folder: string): Promise<string | undefined> {
  const names = (await readdir(folder)).toSorted();
  const name = names.find((one) => /^(un)?licen[cs]e(\.(md|txt|markdown))?$/i.test(one));
  if (name === undefined) return undefined;
  return (await readFile(join(folder, name), "utf8")).replaceAll("\r\n", "\n");
}
