import { join, resolve } from "node:path";
import { at, objectOf, type Part, placeOf, textOf } from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import { textList, type WazaEval } from "./eval.ts";

/** Refuses a file that needs skills which its folders do not contain, before any model is called. */
export async function checkSkills(config: Part, file: WazaEval): Promise<void> {
  const directories = textList(at(config, "skill_directories"), file);
  const required = at(config, "required_skills");
  const names = textList(required, file);
  if (names.length === 0) return;
  const found = await Promise.all(directories.map((path) => skillIn(path, file)));
  const known = found.flatMap((name) => name ?? []);
  const missing = names.filter((name) => !known.includes(name));
  if (missing.length > 0)
    file.refuse(
      problem("waza_skills_missing", { names: missing, found: known }, placeOf(required)),
    );
}

/** The name in the front matter of a folder's SKILL.md. */
async function skillIn(path: string, { tools }: WazaEval): Promise<string | undefined> {
  const absolute = join(resolve(tools.directory, path), "SKILL.md");
  const text = await tools.readText(absolute);
  const front = readSkill(text ?? "", absolute, tools)?.front;
  return front === undefined || objectOf(front) === undefined
    ? undefined
    : textOf(at(front, "name"))?.trim();
}

/** Splits a SKILL.md into front matter and text; undefined if its front matter is no YAML. */
export function readSkill(
  text: string,
  absolute: string,
  tools: WazaEval["tools"],
): { readonly front: Part; readonly body: string } | undefined {
  const [whole = "", front = ""] = /^\uFEFF?---\r?\n(.*?)\r?\n---/s.exec(text) ?? [];
  const parsed = tools.parse(front, absolute);
  if (parsed === undefined) return undefined;
  const root: Part = { value: parsed.value, path: [], locate: parsed.locate };
  return { front: root, body: text.slice(whole.length) };
}
