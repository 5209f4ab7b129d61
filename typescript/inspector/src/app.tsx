/** The frame of the page: what is open, what it is read as, and the view of it. */

import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { Openers, useDropAndPaste } from "./frame/openers.js";
import { Opening } from "./frame/opening.js";
import { savePage } from "./frame/saving.js";
import { ThemeSwitch } from "./frame/theme.js";
import { type As, type Source, withAs } from "./model/sources.js";
import { CompareView } from "./views/compare/compare-view.js";
import { SchemasView } from "./views/schemas/schemas.js";
import { Boundary } from "./views/shared/boundary.js";

/** What the page shows: a source, a comparison of two, or one of two schemas. */
type Shown = "source" | "comparison" | "schemas";

export function App({ given }: { readonly given: readonly Source[] }) {
  const [sources, setSources] = useState(given);
  const [current, setCurrent] = useState(0);
  /** What the user reads sources as, by their ids. */
  const [chosen, setChosen] = useState<ReadonlyMap<number, As>>(new Map());
  const [shown, setShown] = useState<Shown>("source");
  const toggle = (what: Shown): void => setShown(shown === what ? "source" : what);
  const select = useCallback((index: number): void => {
    setCurrent(index);
    setShown("source");
  }, []);
  const add = useCallback(
    (added: readonly Source[]): void => {
      setSources((before) => {
        select(before.length);
        return [...before, ...added];
      });
    },
    [select],
  );
  useDropAndPaste(add);
  const asChosen = useMemo(() => sources.map((each) => withAs(each, chosen.get(each.id) ?? each)), [sources, chosen]);
  const source = sources[current];
  const title = titleOf(shown, source);
  useEffect(() => {
    document.title = title === undefined ? "partwire inspector" : `${title} – partwire inspector`;
  }, [title]);
  return (
    <div class="app">
      <header class="bar">
        <h1>partwire inspector</h1>
        {sources.length > 0 && <Tabs sources={sources} current={shown === "source" ? current : -1} onSelect={select} />}
        <div class="row end">
          <Openers add={add} />
          <button type="button" aria-pressed={shown === "schemas"} onClick={() => toggle("schemas")}>
            Compare schemas
          </button>
          {sources.length > 0 && (
            <>
              <button type="button" aria-pressed={shown === "comparison"} onClick={() => toggle("comparison")}>
                Compare
              </button>
              <button type="button" onClick={() => void savePage(asChosen)}>
                Save page
              </button>
            </>
          )}
          <ThemeSwitch />
        </div>
      </header>
      <p role="status" class="hidden">
        {title === undefined ? "" : `${title} is open`}
      </p>
      <Boundary key={`${shown} ${source?.id}`}>
        {shown === "schemas" && <SchemasView />}
        {shown === "comparison" && <CompareView sources={asChosen} current={current} />}
        {shown === "source" && source === undefined && <Welcome />}
        {shown === "source" && source !== undefined && (
          <Opening
            source={source}
            chosen={chosen.get(source.id)}
            onChoose={(as) => setChosen(new Map(chosen).set(source.id, as))}
          />
        )}
      </Boundary>
    </div>
  );
}

function titleOf(shown: Shown, source: Source | undefined): string | undefined {
  if (shown === "schemas") return "Compare schemas";
  return shown === "comparison" ? "Compare" : source?.name;
}

interface TabsProps {
  readonly sources: readonly Source[];
  readonly current: number;
  readonly onSelect: (index: number) => void;
}

function Tabs({ sources, current, onSelect }: TabsProps) {
  return (
    <nav aria-label="Open files" class="row tabs">
      {sources.map(({ id, name }, index) => (
        <button
          key={id}
          type="button"
          aria-current={index === current ? "true" : undefined}
          onClick={() => onSelect(index)}
        >
          {name}
        </button>
      ))}
    </nav>
  );
}

function Welcome() {
  return (
    <main class="notice">
      <h2>Drop a file here</h2>
      <p>
        A provider’s stream, deltas, a message, a history, a session, a run of AI SDK or AG-UI, or a report that a
        command wrote with <code>--format json</code>. Everything runs in this page: nothing leaves it.
      </p>
    </main>
  );
}
