import { folderIn, type Listing, type ProgramText } from "./program-text.ts";

const names =
  "ls|dir|find|fd|e?grep|fgrep|zgrep|rg|ag|ack|tree|tar|zip|7z|cp|rsync|mv|ln|du|cat|tac|nl|head|tail|less|more|g?awk|sed|jq|yq|sort|uniq|cut|wc|xargs|strings|od|xxd|hexdump|base64|diff|cmp|comm|paste|shuf|cd|pushd|for";
const deep = /^(?:find|fd|rg|ag|ack|tree|tar|zip|7z|rsync|cp|mv|ln|cd|pushd|diff)$/;

/** Listings by shell commands: in scripts, in words of a command, and in strings that a program runs. */
export function shellListings({ text, kind, home }: ProgramText): readonly Listing[] {
  const lines = kind === "code" ? runIn(text) : text.split("\n");
  const before = String.raw`(?:^|[;|&(\x60]|\b(?:do|then|else|if|while|until|exec|sudo|time|env|xargs|command|nohup|sh|bash)\s|-(?:exec|c)\s|!\s)\s*["']?`;
  const command = new RegExp(
    String.raw`(?<=${before})(${names})(?:["']?[\s,]+|$)([^\n;|&)\x60]{0,400})`,
    "g",
  );
  const all = kind === "words" ? [...lines, lines.join(" ")] : lines;
  return all
    .filter((line) => !/^\s*(?:#|\/\/)/.test(line))
    .flatMap((line) => Array.from(line.matchAll(command)))
    .flatMap(([, name = "", rest = ""]) => listingBy(name, rest, home));
}

/** Strings that a program passes to a shell, and commands that it writes as lists of words. */
function runIn(text: string): readonly string[] {
  const ran =
    /(?:\b(?:system|popen|Popen|subprocess\.(?:run|call)|check_call|check_output|getoutput|getstatusoutput|exec|exec(?:Sync|File|FileSync|a|vp?e?)|spawn\w*|create_subprocess_\w+|Command(?:::new)?|shell_exec)|(?<![\w.])(?:run|call)(?=\(\s*\[)|%x|qx)\s*\(?([^\n;]{0,400})|(?<!\w)\$"([^"]*)"/g;
  return [...text.matchAll(ran)].map(([, said = "", tagged]) => {
    if (tagged !== undefined) return tagged;
    const words = [...said.matchAll(/"([^"\n]{0,400})"/g)].map(([, word = ""]) => word);
    return words.join(" ");
  });
}

function listingBy(name: string, rest: string, home: string): readonly Listing[] {
  const given = name === "for" ? (/^\w+\s+in\s+(.*)/.exec(rest)?.[1] ?? "") : rest;
  const words = given.split(/["'\s]+|,(?=\s|$)/).filter((word) => word !== "");
  const plain = words.filter((word) => !word.startsWith("-"));
  const flags = words.filter((word) => word.startsWith("-")).join(" ");
  const isDeep = deep.test(name) || /-\w*[rR]|recursive/.test(flags);
  const isSearch = /^(?:e?grep|fgrep|zgrep|rg|ag|ack)$/.test(name);
  const patterns = plain.filter((word) => /[*?[\]{}]/.test(word));
  const paths = plain.filter((word) => !patterns.includes(word));
  const roots = paths.filter((word) => !/^[.\w-]+=/.test(word)).flatMap(folderIn);
  const named = /-i?name\b/.test(flags) ? patterns : [];
  const isHere =
    isDeep &&
    name !== "cd" &&
    name !== "pushd" &&
    (paths.some((word) => /^\.{1,2}\/?$/.test(word)) || paths.length === (isSearch ? 1 : 0)) &&
    /^(?:find|fd|tree|rg|ag|ack|e?grep|fgrep|tar|ls)$/.test(name);
  const ups = Math.max(0, ...paths.map((word) => word.match(/\.\.(?=\/|$)/g)?.length ?? 0));
  const folder =
    home
      .split("/")
      .slice(0, ups === 0 ? undefined : -ups)
      .join("/") || ".";
  return [
    { roots, here: undefined, patterns: named, isDeep },
    ...(isHere ? [{ roots: [], here: folder, patterns: named, isDeep }] : []),
    // A glob that the shell expands.
    ...patterns.filter((word) => !named.includes(word)).map((word) => globbed(word, home)),
  ];
}

/** A glob that the shell expands: in the folder that it begins with, or in the working directory. */
function globbed(word: string, home: string): Listing {
  const parts = word.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
  const first = parts.findIndex((part) => /[*?[\]{}]/.test(part));
  const patterns = [parts.slice(first).join("/")];
  const roots = folderIn(parts.slice(0, first).join("/"));
  const isDeep = parts.slice(first).length > 1;
  return { roots, here: roots.length === 0 ? home : undefined, patterns, isDeep };
}
