import type { GraderItem, Row } from "../model/sample.ts";

/** What an item has beside the row. */
interface ItemParts {
  readonly prompt: string;
  readonly target: string | null;
  readonly choices: readonly string[];
  readonly taskId: string;
}

/**
 * The `item` of a grader's `grade(sample, item)`: the row's fields plus the convenience fields,
 * which win over fields of the same name. `reference_answer`, the target again, is added where the grader is.
 */
export function graderItem(row: Row, { prompt, target, choices, taskId }: ItemParts): GraderItem {
  return { ...row, prompt, target, choices, task_id: taskId };
}
