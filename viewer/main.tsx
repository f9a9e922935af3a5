import { render } from "preact";
import { useEffect } from "preact/hooks";
import type { PageIndex, PageRun } from "../src/model/page.ts";
import { CaseView } from "./case.tsx";
import { openIndex } from "./data.ts";
import { Filters } from "./filters.tsx";
import { listenToKeys } from "./keys.ts";
import { CaseList } from "./list.tsx";
import { Overview } from "./overview.tsx";
import { addressOf, go, noFilter, route } from "./route.ts";
import { openSeen } from "./seen.ts";
import { index, run, runAt } from "./state.ts";
import { Plain } from "./text.tsx";
import { count } from "./words.ts";

function Page() {
  const shown = run.value;
  const all = index.value;
  const { view, caseId } = route.value;
  useEffect(() => {
    if (shown) document.title = `${shown.suite}: ${shown.verdict.title}`;
  }, [shown]);
  if (shown === undefined || all === undefined) return <p class="wait">The report has no run.</p>;
  return (
    <>
      <TopBar all={all} shown={shown} />
      {view === "overview" ? (
        <main id="main">
          <Overview run={shown} />
        </main>
      ) : (
        <main id="main" class={`cases ${caseId === undefined ? "no-case" : "has-case"}`}>
          <h1 class="unseen-title">
            Cases of <Plain text={shown.suite} />
          </h1>
          <aside aria-label="List of cases">
            <Filters run={shown} />
            <CaseList run={shown} />
          </aside>
          <div class="pane" tabIndex={-1}>
            {caseId === undefined ? <Hint /> : <CaseView run={shown} />}
          </div>
        </main>
      )}
    </>
  );
}

function TopBar({ all, shown }: { readonly all: PageIndex; readonly shown: PageRun }) {
  const { view } = route.value;
  return (
    <header class="bar">
      {all.runs.length > 1 ? (
        <RunChoice all={all} />
      ) : (
        <strong>
          <Plain text={shown.suite} />
        </strong>
      )}
      {all.runs.length === 1 && shown.which !== "" && <span class="about">{shown.which}</span>}
      <nav aria-label="Views">
        <a
          href={addressOf({ ...noFilter, view: "overview", caseId: undefined })}
          aria-current={view === "overview" ? "page" : undefined}
        >
          Overview
        </a>
        <a
          href={addressOf({ view: "cases", caseId: undefined })}
          aria-current={view === "cases" ? "page" : undefined}
        >
          Cases <span class="number">{count(shown.cases.id.length)}</span>
        </a>
      </nav>
    </header>
  );
}

const toneMarks = { pass: "✅", fail: "❌", unsure: "⚠️", neutral: "➖" } as const;

function RunChoice({ all }: { readonly all: PageIndex }) {
  return (
    <select
      aria-label="Run"
      value={String(runAt.value)}
      onChange={({ currentTarget: { value } }) =>
        go({ ...noFilter, run: Number(value), caseId: undefined, view: "overview" })
      }
    >
      {all.runs.map(({ suite, which, verdict }, i) => (
        <option key={i} value={String(i)}>
          {toneMarks[verdict.tone]} {[suite, which].filter((word) => word !== "").join(", ")}:{" "}
          {verdict.title}
        </option>
      ))}
    </select>
  );
}

function Hint() {
  return (
    <p class="hint">
      Choose a case, or press <kbd>j</kbd> for the first. <kbd>j</kbd> and <kbd>k</kbd> step through
      the list, <kbd>f</kbd> searches, <kbd>Esc</kbd> leads back.
    </p>
  );
}

async function start(): Promise<void> {
  const page = document.getElementById("page");
  if (page === null) return;
  try {
    const found = await openIndex();
    openSeen(found.runs.map(({ id }) => id));
    index.value = found;
    page.replaceChildren();
    render(<Page />, page);
    listenToKeys();
  } catch (error) {
    const trouble = document.createElement("p");
    trouble.className = "wait trouble";
    trouble.textContent = error instanceof Error ? error.message : String(error);
    page.replaceChildren(trouble);
  }
}

void start();
