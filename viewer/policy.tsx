import type { PagePolicy, PageRun } from "../src/model/page.ts";
import { addressOf, noFilter } from "./route.ts";
import { index, runAt } from "./state.ts";
import { Plain, Sentence } from "./text.tsx";

/** The policy of a run; for a run by the change's own rules, that of the run before it. */
function policyOf(run: PageRun): PagePolicy | undefined {
  if (run.isByOwnRules !== true) return run.policy;
  return index.value?.runs[runAt.value - 1]?.policy;
}

/**
 * A note for a run by the change's own rules that tells which rules decide: without it, its verdict could be taken for
 * the run's.
 */
export function OwnRulesNote({ run }: { readonly run: PageRun }) {
  const policy = policyOf(run);
  if (run.isByOwnRules !== true || policy === undefined) return null;
  return (
    <p class="sentence">
      <strong>This is the verdict by the change’s own rules.</strong>{" "}
      <Sentence words={policy.decision} />
    </p>
  );
}

/** Both sets of rules side by side, and a link to the run by the other rules. */
export function Policy({ run }: { readonly run: PageRun }) {
  const policy = policyOf(run);
  if (policy === undefined) return null;
  const isOwn = run.isByOwnRules === true;
  const other = runAt.value + (isOwn ? -1 : 1);
  return (
    <section aria-labelledby="policy">
      <h2 id="policy">Judged by two sets of rules</h2>
      <ul class="lines">
        {policy.lines.map((line, i) => (
          <li key={i}>
            <Sentence words={line} />
          </li>
        ))}
      </ul>
      {policy.rules.length > 0 && <RuleTable policy={policy} />}
      <p>
        <a href={addressOf({ ...noFilter, run: other, view: "overview", caseId: undefined })}>
          {isOwn
            ? "See the report by the base’s rules"
            : "See the report by the change’s own rules"}
        </a>
      </p>
    </section>
  );
}

function RuleTable({ policy }: { readonly policy: PagePolicy }) {
  return (
    <table class="policy">
      <thead>
        <tr>
          <th scope="col">Rule</th>
          <th scope="col">
            <Plain text={policy.base} />
          </th>
          <th scope="col">{policy.own}</th>
        </tr>
      </thead>
      <tbody>
        {policy.rules.map(([name, base, own]) => (
          <tr key={name}>
            <th scope="row">
              <Plain text={name} />
            </th>
            <td>
              <Plain text={base} />
            </td>
            <td>
              <Plain text={own} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
