import {
  caseFlags,
  type PageCases,
  type PageGroup,
  type PageRule,
  type PageRun,
} from "../src/model/page.ts";
import { outcomeWords } from "../src/report/words/outcomes.ts";
import { Charts } from "./charts.tsx";
import { Icon } from "./icon.tsx";
import { CaseRow } from "./list.tsx";
import { OwnRulesNote, Policy } from "./policy.tsx";
import { addressOf, noFilter } from "./route.ts";
import { Plain, Sentence } from "./text.tsx";
import { count, counted, placeWords, statusOf } from "./words.ts";

/** The first screen: result, rules, and the groups of broken cases. */
export function Overview({ run }: { readonly run: PageRun }) {
  return (
    <div class="overview">
      <Verdict run={run} />
      <Policy run={run} />
      <Groups run={run} kind="broke" />
      <Groups run={run} kind="beyond" />
      <Ungraded cases={run.cases} />
      {run.rules.length > 0 && <Rules rules={run.rules} />}
      <FirstCases run={run} />
      <Charts run={run} />
      <Facts run={run} />
    </div>
  );
}

function Verdict({ run }: { readonly run: PageRun }) {
  const { tone, title, sentence, lines, broke, of } = run.verdict;
  return (
    <section class={`verdict ${tone}`} aria-labelledby="verdict">
      <h1 id="verdict">
        <Icon tone={tone} /> {title}
        {broke > 0 && !/ broke| must-pass /.test(title) && (
          <span class="broke">
            {count(broke)} of {counted(of, "case")} broke
          </span>
        )}
      </h1>
      <OwnRulesNote run={run} />
      <p class="sentence">
        <Sentence words={sentence} />
      </p>
      {lines.length > 0 && (
        <ul class="lines">
          {lines.map((line, i) => (
            <li key={i}>
              <Sentence words={line} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const groupsInSight = 8;

const groupTitles = {
  broke: "What broke, by reason",
  beyond: "Cases beyond the limit, by reason",
} as const;

/** Cases, grouped by the grader's message: a click shows them. */
function Groups({ run, kind }: { readonly run: PageRun; readonly kind: PageGroup["kind"] }) {
  const { groups, verdict } = run;
  // Broken cases come first.
  const first = groups.findIndex((group) => group.kind === kind);
  if (first < 0) return null;
  const some = groups.filter((group) => group.kind === kind);
  const cut = Math.min(groupsInSight, some.length);
  const grouped = some.reduce((sum, { cases }) => sum + cases, 0);
  return (
    <section aria-labelledby={`groups-${kind}`}>
      <h2 id={`groups-${kind}`}>{groupTitles[kind]}</h2>
      {kind === "broke" && groups.length === some.length && grouped < verdict.broke && (
        <p class="about">
          The reasons of {count(grouped)} of the {counted(verdict.broke, "case")} that broke.
        </p>
      )}
      <GroupList run={run} from={first} to={first + cut} />
      {some.length > cut && (
        <details>
          <summary>{counted(some.length - cut, "more reason")}</summary>
          <GroupList run={run} from={first + cut} to={first + some.length} />
        </details>
      )}
    </section>
  );
}

function GroupList({
  run,
  from,
  to,
}: {
  readonly run: PageRun;
  readonly from: number;
  readonly to: number;
}) {
  return (
    <ul class="groups">
      {run.groups.slice(from, to).map((group, i) => (
        <li key={i}>
          <a href={addressOf({ ...noFilter, view: "cases", group: from + i })}>
            <Group run={run} group={group} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function Group({ run, group }: { readonly run: PageRun; readonly group: PageGroup }) {
  const place = run.cases.places[group.place];
  const where = group.where.slice(0, 3);
  return (
    <>
      <span class="number">{count(group.cases)}</span>
      <span class="why">
        <span class="reason">
          <Plain text={group.reason ?? noReason(group.cases)} />
        </span>
        <span class="about">
          <Plain
            text={[
              ...(group.mustPass > 0 ? [`${count(group.mustPass)} must pass`] : []),
              group.metric,
              ...(place ? placeWords(run.cases, place) : []),
              ...where.map(([field, value, cases]) =>
                cases === group.cases
                  ? `${field}: ${value}`
                  : `${field}: ${value} (${count(cases)})`,
              ),
            ].join(" · ")}
          />
        </span>
      </span>
    </>
  );
}

/** Cases without a grade, by the type of their error, the most frequent first: a click shows them. */
function Ungraded({ cases }: { readonly cases: PageCases }) {
  const types = ungradedTypes(cases);
  if (types.length === 0) return null;
  return (
    <section aria-labelledby="ungraded">
      <h2 id="ungraded">Not graded, by error</h2>
      <ul class="groups">
        {types.map(([error, number]) => (
          <li key={error}>
            <a href={addressOf({ ...noFilter, view: "cases", show: "ungraded", error })}>
              <span class="number">{count(number)}</span>
              <span class="why reason">
                <Plain text={error} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ungradedTypes({ errors, error, flags }: PageCases): readonly [string, number][] {
  const numbers = new Map<string, number>();
  for (const [i, each] of error.entries()) {
    const type = errors[each];
    if (type !== undefined && ((flags[i] ?? 0) & caseFlags.ungraded) !== 0)
      numbers.set(type, (numbers.get(type) ?? 0) + 1);
  }
  return [...numbers].toSorted((a, b) => b[1] - a[1]);
}

/**
 * Text for cases without a common reason: their grader may give no message, and their answers may have nothing in
 * common.
 */
function noReason(cases: number): string {
  return cases === 1 ? "No reason is known" : "No reason that they share is known";
}

function Rules({ rules }: { readonly rules: readonly PageRule[] }) {
  const [told, met] = [rules.filter(isTold), rules.filter((rule) => !isTold(rule))];
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      {told.length > 0 && <RuleList rules={told} />}
      {met.length > 0 &&
        (told.length === 0 ? (
          <RuleList rules={met} />
        ) : (
          <details>
            <summary>{counted(met.length, "rule")} that passed or only inform</summary>
            <RuleList rules={met} />
          </details>
        ))}
    </section>
  );
}

function isTold({ outcome, level }: PageRule): boolean {
  return outcome !== "met" && level !== "info";
}

const outcomeTones = {
  met: "pass",
  missed: "fail",
  inconclusive: "unsure",
  unmeasured: "neutral",
} as const;
function RuleList({ rules }: { readonly rules: readonly PageRule[] }) {
  return (
    <ul class="rules">
      {rules.map((rule, i) => (
        <li key={i}>
          <span class="outcome">
            <Icon tone={outcomeTones[rule.outcome]} /> {outcomeWords[rule.outcome]}
          </span>
          <span class="name">
            <Plain text={rule.name} />
            {rule.kind === "must_pass" && <span class="about"> must-pass cases</span>}
            {rule.level !== "block" && <span class="about"> {rule.level}</span>}
          </span>
          <span class="path">
            {rule.before !== "" && <>{rule.before} → </>}
            <strong>{rule.now}</strong>
            {rule.difference !== "" && <span class="difference">{rule.difference}</span>}
          </span>
          <span class="about">
            <Plain
              text={[rule.interval, rule.consequence, rule.found]
                .filter((word) => word !== "")
                .join(" · ")}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}

const firstCases = 8;

function FirstCases({ run }: { readonly run: PageRun }) {
  const { id, flags } = run.cases;
  if (id.length === 0) return <p class="none">The run has no cases.</p>;
  const first = Array.from({ length: Math.min(firstCases, id.length) }, (_, i) => i);
  // The queue ends with unchanged cases: these are shown only if there are no others.
  const changed = first.filter((i) => statusOf(flags[i] ?? 0) !== undefined);
  const numbers = changed.length > 0 ? changed : first;
  return (
    <section aria-labelledby="first-cases">
      <h2 id="first-cases">Cases to look at first</h2>
      <ul class="first">
        {numbers.map((i) => (
          <li key={i}>
            <CaseRow run={run} i={i} isOpen={false} />
          </li>
        ))}
      </ul>
      <p>
        <a href={addressOf({ ...noFilter, view: "cases" })}>All {counted(id.length, "case")}</a>
      </p>
    </section>
  );
}

function Facts({ run }: { readonly run: PageRun }) {
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Background</h2>
      {run.beforeGone !== undefined && (
        <p class="none">
          The answers of before are not in this report: <Plain text={run.beforeGone} />.
        </p>
      )}
      {run.facts.map(({ title, rows }) => (
        <details key={title}>
          <summary>{title}</summary>
          <dl class="pairs">
            {rows.map(([name, value], i) => (
              <div key={i}>
                <dt>
                  <Plain text={name} />
                </dt>
                <dd>
                  <Plain text={value} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
    </section>
  );
}
