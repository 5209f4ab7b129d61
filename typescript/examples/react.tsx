/** A page in React: `npx esbuild react.tsx --bundle --format=esm --outfile=react.js`, then /react.html of the service. */
import { type FormEvent, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { useAnswer } from "./useAnswer.js";

function App() {
  const { status, message, error, ask, stop } = useAnswer("/answers");

  // biome-ignore lint/correctness/useExhaustiveDependencies: the first question is asked once
  useEffect(() => {
    const first = new URLSearchParams(location.search).get("ask");
    if (first !== null) void ask(first);
  }, []);

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    void ask(String(new FormData(event.currentTarget).get("question")));
  }

  return (
    <main>
      <h1>Ask</h1>
      <form onSubmit={submit}>
        <input name="question" aria-label="Question" />
        <button type="submit">Send</button>
        <button type="button" onClick={stop} disabled={status !== "streaming"}>
          Stop
        </button>
      </form>
      <p id="answer" aria-live="polite">
        {message?.parts.map((part, index) => (
          // Parts never change places.
          <span key={index}>{part.kind === "text" ? part.payload.text : `[${part.kind}]`}</span>
        ))}
      </p>
      {error === undefined ? null : <p role="alert">{String(error)}</p>}
      <p id="status">{status}</p>
    </main>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<App />);
