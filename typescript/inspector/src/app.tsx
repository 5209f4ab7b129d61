/** The frame of the page: what is open, what it is read as, and the view of it. */

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { CHOICES, type Choice, heldBy, type Opened, open } from "./model/opened.js";
import { type As, fileSource, type Source } from "./model/sources.js";
import { View } from "./views/view.js";

export function App({ given }: { readonly given: readonly Source[] }) {
  const [sources, setSources] = useState(given);
  const [current, setCurrent] = useState(0);
  const add = useCallback((added: readonly Source[]): void => {
    setSources((before) => {
      setCurrent(before.length);
      return [...before, ...added];
    });
  }, []);
  const source = sources[current];
  return (
    <div class="app" onDragOver={(event) => event.preventDefault()} onDrop={(event) => void dropped(event, add)}>
      <header class="bar">
        <h1>partwire inspector</h1>
        <Tabs sources={sources} current={current} onSelect={setCurrent} />
        <Openers add={add} />
      </header>
      {source === undefined ? <Welcome /> : <Opening key={current} source={source} />}
    </div>
  );
}

async function dropped(event: DragEvent, add: (added: readonly Source[]) => void): Promise<void> {
  event.preventDefault();
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length > 0) add(await Promise.all(files.map(fileSource)));
}

interface TabsProps {
  readonly sources: readonly Source[];
  readonly current: number;
  readonly onSelect: (index: number) => void;
}

function Tabs({ sources, current, onSelect }: TabsProps) {
  return (
    <nav aria-label="Open files" class="tabs">
      {sources.map(({ name }, index) => (
        <button
          key={index}
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

function Openers({ add }: { readonly add: (added: readonly Source[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const chosen = async (): Promise<void> => {
    const files = [...(input.current?.files ?? [])];
    if (files.length > 0) add(await Promise.all(files.map(fileSource)));
  };
  const pasted = (): void => {
    dialog.current?.close();
    if (text.trim() !== "") add([{ name: "pasted", bytes: new TextEncoder().encode(text) }]);
    setText("");
  };
  return (
    <div class="openers">
      <label class="button">
        Open
        <input ref={input} type="file" multiple class="hidden" onChange={() => void chosen()} />
      </label>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Paste
      </button>
      <dialog ref={dialog} aria-label="Paste text">
        <label>
          A stream, deltas, messages, or a report
          <textarea value={text} onInput={(event) => setText(event.currentTarget.value)} rows={12} />
        </label>
        <button type="button" onClick={pasted}>
          Show
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </dialog>
    </div>
  );
}

function Welcome() {
  return (
    <main class="welcome">
      <h2>Drop a file here</h2>
      <p>
        A provider’s stream, deltas, a message, a history, a session, a run of AI SDK or AG-UI, or a report of a
        command. Nothing leaves this page.
      </p>
    </main>
  );
}

function Opening({ source }: { readonly source: Source }) {
  const held = useMemo(() => heldBy(source), [source]);
  const [as, setAs] = useState<As>(held[0] ?? {});
  const opened: Opened = useMemo(() => open(source, as), [source, as]);
  const [, setTicks] = useState(0);
  useEffect(() => {
    if (source.live === undefined || opened.view !== "stream") return;
    const stop = new AbortController();
    void follow(source.live, opened.recording, stop.signal, () => setTicks((ticks) => ticks + 1));
    return () => stop.abort();
  }, [source, opened]);
  return (
    <>
      <div class="read-as">
        <label>
          Read as{" "}
          <select value={keyOf(as)} onChange={(event) => setAs(choiceOf(event.currentTarget.value))}>
            {held.length === 0 && <option value={keyOf({})}>unknown</option>}
            {CHOICES.map((choice) => (
              <option key={keyOf(choice)} value={keyOf(choice)}>
                {choice.label}
              </option>
            ))}
          </select>
        </label>
        {held.length > 1 && (
          <span>
            It may also be{" "}
            {held
              .slice(1)
              .map(({ as: name }) => name)
              .join(", ")}
            .
          </span>
        )}
        {source.readAs !== undefined && <span>Converted from {source.readAs}.</span>}
      </div>
      <View opened={opened} source={source} />
    </>
  );
}

function keyOf({ as = "", run = false, history = false }: As): string {
  return `${as}|${run}|${history}`;
}

function choiceOf(key: string): As {
  return CHOICES.find((choice: Choice) => keyOf(choice) === key) ?? {};
}

/** Feeds a recording with what comes from the service, until it ends. */
async function follow(
  url: string,
  recording: { feed(chunk: Uint8Array): void; close(): void },
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  try {
    const { body } = await fetch(url, { signal });
    if (body === null) return;
    const bytes = body.getReader();
    for (let read = await bytes.read(); !read.done; read = await bytes.read()) {
      recording.feed(read.value);
      changed();
    }
    recording.close();
    changed();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
