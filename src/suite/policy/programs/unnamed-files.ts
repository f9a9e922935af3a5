import { posix } from "node:path";
import { candidateKinds } from "../../../model/definition/candidate-kinds.ts";
import type { AlteredFiles } from "../../../model/outcomes/policy.ts";
import type { FileTools } from "../../../tools.ts";
import { wordsOf } from "../../selection/program-words.ts";
import { manifestPath } from "../../withheld.ts";
import { reachedBy, textsOfCode, type ChangedSuites } from "./look-ups.ts";
import { namedAnswers } from "./named-answers.ts";
import { isCode } from "./program-tables.ts";
import { asWords, type ProgramText } from "./program-text.ts";
import { isTestOrDocument } from "./test-paths.ts";

/**
 * The tests and documents of a change that no program of it names or imports. Where an app is asked over HTTP, all code
 * beside them counts as its program, and a listing of their folder as a name.
 */
export async function unnamedFiles(
  sides: ChangedSuites,
  altered: AlteredFiles,
  files: Pick<FileTools, "openFile">,
): Promise<ReadonlySet<string>> {
  const { head } = sides;
  const manifest = manifestPath(head);
  const home = posix.dirname(manifest);
  const isApart = (path: string): boolean => isTestOrDocument(path, home);
  const found = altered.here.map(({ path }) => path).filter(isApart);
  if (found.length === 0) return new Set();
  const programs = head.candidates.filter(({ kind }) => candidateKinds[kind].program);
  const { reached } = await reachedBy(programs, sides, { altered, files });
  const isHttp = head.candidates.some(({ kind }) => kind === "http");
  const code = isHttp ? altered.paths.filter((path) => isCode.test(path) && !isApart(path)) : [];
  const paths = [...new Set([...reached, ...code])];
  const read = { base: head, basePath: manifest, paths };
  const texts: readonly ProgramText[] = [
    asWords(programs.flatMap(wordsOf), home),
    ...(await textsOfCode(read, files)),
  ];
  const sources = { files: found, folders: [], remote: [] };
  const others = altered.paths.filter((path) => !found.includes(path));
  const naming = texts.map((text) => namedAnswers(text, sources, { others }));
  const isNamed = (path: string): boolean =>
    // Whether a program opens them is watched; an app may have read them before.
    naming.some(({ named, maybe }) => named.has(path) || (isHttp && maybe.has(path)));
  return new Set(found.filter((path) => !isNamed(path) && !reached.has(path)));
}
