import type { BaseTree } from "../model/policy.ts";
import type { Tools } from "../tools.ts";

/** The tree that `--policy-from` names is there for all of the work, and gone at the end, however that comes. */
export async function withBase<T>(
  { policyFrom }: { readonly policyFrom: string | undefined },
  tools: Pick<Tools, "openBaseTree">,
  work: (tree: BaseTree | undefined) => Promise<T>,
): Promise<T> {
  const tree = policyFrom === undefined ? undefined : await tools.openBaseTree(policyFrom);
  try {
    return await work(tree);
  } finally {
    await tree?.close();
  }
}
