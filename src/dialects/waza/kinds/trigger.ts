import { join } from "node:path";
import { at, numberOf, objectOf, type Part, placeOf, textOf } from "../../../base/part.ts";
import { problem } from "../../../model/refusal.ts";
import { fullText, isGiven, refuseValue, type WazaEval } from "../eval.ts";
import { findBesideText } from "../paths.ts";
import { readSkill } from "../skills.ts";
import { checking, configKeys, type ReadKind } from "./kind.ts";

/** Compares the words of a task's prompt with those of a skill. The agent is not called. */
export const triggerCheck: ReadKind = async (entry, file) => {
  const config = configKeys(entry, ["skill_path", "mode", "threshold"], file);
  const named = at(config, "skill_path");
  const path = fullText(named, file);
  const mode = textOf(at(config, "mode"))?.trim().toLowerCase();
  if (mode !== "positive" && mode !== "negative")
    return refuseValue(at(config, "mode"), "positive or negative", file);
  const threshold = thresholdOf(at(config, "threshold"), file);
  const skill = path === undefined ? undefined : await skillAt(named, path, file);
  if (skill === undefined) return undefined;
  const { name, description, body } = skill;
  const own = description.split(/do not use for:/i)[0] ?? "";
  const options = {
    type: "trigger_words",
    text: [name, own, body].join(" "),
    phrases: [...phrasesIn(description)],
    mode,
    ...(threshold !== undefined && { threshold }),
  };
  return checking(entry, { options, keys: ["skill_path"] }, file);
};

function thresholdOf(part: Part, file: WazaEval): number | undefined {
  const threshold = numberOf(part);
  if (!isGiven(part)) return undefined;
  return threshold !== undefined && threshold >= 0 && threshold <= 1
    ? threshold
    : refuseValue(part, "a number from 0 to 1", file);
}

/** Reads a skill from a SKILL.md, or from the folder that contains one. */
async function skillAt(
  part: Part,
  path: string,
  file: WazaEval,
): Promise<
  { readonly name: string; readonly description: string; readonly body: string } | undefined
> {
  const found =
    (await findBesideText(join(path, "SKILL.md"), file)) ?? (await findBesideText(path, file));
  const skill = found && readSkill(found.text, found.absolute, file.tools);
  if (skill === undefined || objectOf(skill.front) === undefined) {
    const reason =
      found === undefined
        ? "it is neither in this file's folder nor in the repository's"
        : "it is no SKILL.md with front matter";
    return file.refuse(problem("waza_file_unusable", { path, reason }, placeOf(part)));
  }
  const text = (key: string): string => textOf(at(skill.front, key)) ?? "";
  return { name: text("name"), description: text("description"), body: skill.body };
}

/** The phrases after `USE FOR:`: those in quotes, or else those between commas. */
function phrasesIn(description: string): readonly string[] {
  const [, after = ""] =
    /(?<!not )use for:(.*?)(?:do not use for:|invokes:|for single operations:|$)/is.exec(
      description.replaceAll(/\r?\n/g, " "),
    ) ?? [];
  const quoted = [...after.matchAll(/["“”]([^"“”]+)["“”]/g)].map(([, phrase = ""]) => phrase);
  const parts = after.trim().replace(/\.+$/, "").split(",");
  const phrases =
    quoted.length > 0 ? quoted : parts.map((part) => part.trim().replace(/\s*\([^)]*\)$/, ""));
  return phrases.map((phrase) => phrase.trim()).filter((phrase) => phrase !== "");
}
