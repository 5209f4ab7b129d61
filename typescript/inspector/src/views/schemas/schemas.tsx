/** Two schemas, and whether the step from one to the other breaks anyone. */

import { useEffect, useRef, useState } from "preact/hooks";
import { compare, DIRECTIONS, type Direction, hasService, question, Refused } from "../../model/compatibility.js";
import type { Comparison } from "../../model/report.js";
import { SCHEMA_EXAMPLES, type SchemaExample } from "../../model/schema-examples.js";
import { CompatView } from "../report/compat.js";
import { Visible } from "../shared/visible.js";
import "../report/report.css";
import "./schemas.css";

type Outcome =
  | { readonly state: "none" | "asked" }
  | { readonly state: "refused"; readonly reason: string }
  | { readonly state: "answered"; readonly comparison: Comparison };

const MEANINGS: Readonly<Record<Direction, string>> = {
  backward: "new readers read old documents",
  forward: "old readers read new documents",
  full: "both",
};

export function SchemasView() {
  const service = useService();
  const [old, setOld] = useState("");
  const [now, setNow] = useState("");
  const [direction, setDirection] = useState<Direction>("backward");
  const [outcome, setOutcome] = useState<Outcome>({ state: "none" });
  const asking = useRef<AbortController | undefined>(undefined);
  const set = (take: (text: string) => void) => (text: string) => {
    asking.current?.abort();
    setOutcome({ state: "none" });
    take(text);
  };
  const choose = (example: SchemaExample): void => {
    set(setOld)(JSON.stringify(example.old, null, 2));
    setNow(JSON.stringify(example.new, null, 2));
  };
  const ask = async (): Promise<void> => {
    asking.current?.abort();
    const asked = new AbortController();
    asking.current = asked;
    setOutcome({ state: "asked" });
    const answered = await outcomeOf(old, now, direction, asked.signal);
    if (!asked.signal.aborted) setOutcome(answered);
  };
  return (
    <main class="documents report schemas">
      <h2>Compare schemas</h2>
      <p>
        Whether a change of a JSON Schema breaks anyone: by proof, or by a document that one side allows and the other
        refuses.
      </p>
      {service === "none" && <NoService />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <p class="row">
          <label>
            Example{" "}
            <select value="" onChange={({ currentTarget }) => choose(exampleOf(currentTarget.value))}>
              <option value="" disabled>
                choose one
              </option>
              {SCHEMA_EXAMPLES.map(({ label }) => (
                <option key={label}>{label}</option>
              ))}
            </select>
          </label>
        </p>
        <div class="two">
          <SchemaField name="Old schema" text={old} onText={set(setOld)} />
          <SchemaField name="New schema" text={now} onText={set(setNow)} />
        </div>
        <p class="row">
          <label>
            Direction{" "}
            <select
              value={direction}
              onChange={({ currentTarget }) => {
                set(() => setDirection(currentTarget.value as Direction))("");
              }}
            >
              {DIRECTIONS.map((each) => (
                <option key={each} value={each}>
                  {`${each}: ${MEANINGS[each]}`}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" class="primary" disabled={service !== "there"}>
            Compare
          </button>
        </p>
      </form>
      <div role="status">{outcome.state === "asked" && "The service looks for a proof…"}</div>
      {outcome.state === "refused" && (
        <p role="alert" class="refused">
          <Visible text={outcome.reason} most={2000} />
        </p>
      )}
      {outcome.state === "answered" && <Verdicts comparison={outcome.comparison} />}
    </main>
  );
}

const GRAVE = ["breaking", "unproven", "no-documents"];
const SAID: Readonly<Record<string, string>> = {
  breaking: "It breaks: here is a document that shows it.",
  unproven: "There is no proof, and no document that shows a break.",
  "no-documents": "One of the schemas allows no document with its declared names.",
  compatible: "It breaks nobody: that is proved.",
};

function Verdicts({ comparison }: { readonly comparison: Comparison }) {
  const statuses = comparison.verdicts.map(({ status }) => status);
  const worst = GRAVE.find((each) => statuses.includes(each)) ?? "compatible";
  return (
    <section aria-label="Verdict">
      <p role="status" class={`verdict-line ${worst}`}>
        <b>{worst}</b>: {SAID[worst]}
      </p>
      <CompatView comparisons={[comparison]} />
    </section>
  );
}

function exampleOf(label: string): SchemaExample {
  return SCHEMA_EXAMPLES.find((each) => each.label === label) as SchemaExample;
}

async function outcomeOf(old: string, now: string, direction: Direction, signal: AbortSignal): Promise<Outcome> {
  try {
    return { state: "answered", comparison: await compare(question(old, now, direction), signal) };
  } catch (error) {
    if (error instanceof Refused) return { state: "refused", reason: error.message };
    // What fetch and the reading of its answer throw.
    if (!(error instanceof TypeError || error instanceof SyntaxError || signal.aborted)) throw error;
    return { state: "refused", reason: "The service does not answer. Is it still running?" };
  }
}

/** Whether the service is beside the page; undefined until that is known. */
function useService(): "there" | "none" | undefined {
  const [service, setService] = useState<"there" | "none">();
  useEffect(() => {
    const stop = new AbortController();
    void hasService(stop.signal).then((found) => {
      if (!stop.signal.aborted) setService(found ? "there" : "none");
    });
    return () => stop.abort();
  }, []);
  return service;
}

function NoService() {
  return (
    <div role="note" class="no-service">
      <p>
        The checker is a part of the Python package, and runs in its service: there is none beside this page. Start it,
        and open the page from there:
      </p>
      <pre>partwire serve{"\n"}http://127.0.0.1:8750/inspect</pre>
      <p>Or compare two files in a terminal, and open what is written here:</p>
      <pre>partwire compat --format json old.json new.json &gt; report.json</pre>
    </div>
  );
}

interface SchemaFieldProps {
  readonly name: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** A text field that takes a file, too: chosen, or dropped on it. */
function SchemaField({ name, text, onText }: SchemaFieldProps) {
  const read = async (files: FileList | null | undefined): Promise<void> => {
    const file = files?.[0];
    if (file !== undefined) onText(await file.text());
  };
  return (
    <div class="schema-field">
      <label>
        {name}
        <textarea
          rows={14}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
          onDrop={(event) => {
            if ((event.dataTransfer?.files.length ?? 0) === 0) return;
            event.preventDefault();
            // Elsewhere on the page, a file that is dropped is opened.
            event.stopPropagation();
            void read(event.dataTransfer?.files);
          }}
        />
      </label>
      <label class="button">
        Open the {name.toLowerCase()}
        <input type="file" class="hidden" onChange={({ currentTarget }) => void read(currentTarget.files)} />
      </label>
    </div>
  );
}
