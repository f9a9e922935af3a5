import { at, isPresent, objectOf, type Part } from "../base/part.ts";
import type { Translated } from "../base/foreign.ts";
import type { DialectTools } from "./dialect.ts";
import { isKEval, translateKEval } from "./k-eval/translate.ts";
import { refusalOfOther } from "./other-tools.ts";
import { translateSygra } from "./sygra/translate.ts";
import { isVally, isWaza, refuseVally, translateWaza } from "./waza/translate.ts";

export type Translate = (root: Part, tools: DialectTools) => Promise<Translated>;

/**
 * Finds the translator of another tool's file; undefined for a manifest of our own. A new dialect needs a line here and
 * a folder.
 */
export function dialectOf(root: Part): Translate | undefined {
  const isSygra =
    objectOf(at(at(root, "graph_config"), "nodes")) !== undefined ||
    isPresent(at(root, "graph_post_process"));
  if (isSygra) return translateSygra;
  if (isVally(root)) return refuseVally;
  if (isWaza(root)) return translateWaza;
  if (isKEval(root)) return translateKEval;
  const other = refusalOfOther(root);
  return other && (async () => other);
}
