import { canonicalJson } from "../../model/json.ts";
import { isPart, partOfContent } from "../../model/models/content.ts";
import type { ResultRow } from "../../model/results.ts";
import { lacksQuestion, questionOf } from "./naming.ts";
import type { TakenRow } from "./scratch-rows.ts";

interface Contents {
  /** The hash of a row's question and target. */
  readonly of: (row: ResultRow, caseId: string) => string;
  /** The rows, with the content of their case where a row lacks its question and another repeat has it. */
  readonly completed: (rows: AsyncIterable<TakenRow>) => AsyncIterable<TakenRow>;
}

/**
 * Makes the contents of cases. A case without any whole row is marked: no row of it has a score, so that it can only
 * count as a failure.
 */
export function createContents(digest: (text: string) => string): Contents {
  // Cases that began with a row that lacks its question: their whole content, once a row has it.
  const begun = new Map<string, string | undefined>();
  const keyOf = ({ task, candidate }: ResultRow | TakenRow, caseId: string): string =>
    digest(JSON.stringify([task, candidate, caseId]));
  return {
    of: (row, caseId) => {
      const content = digest(canonicalJson(questionOf(row, caseId)));
      if (lacksQuestion(row)) {
        const key = keyOf(row, caseId);
        if (!begun.has(key)) begun.set(key, undefined);
        return partOfContent(content);
      }
      if (begun.size > 0) {
        const key = keyOf(row, caseId);
        if (begun.has(key) && begun.get(key) === undefined) begun.set(key, content);
      }
      return content;
    },
    completed: async function* (rows) {
      for await (const row of rows) {
        const whole = isPart(row.content) ? begun.get(keyOf(row, row.case_id)) : undefined;
        yield whole === undefined ? row : { ...row, content: whole };
      }
    },
  };
}
