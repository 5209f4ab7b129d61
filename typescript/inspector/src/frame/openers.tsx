/** How more is opened: files, text that is pasted, files that are dropped. */

import { useEffect, useRef, useState } from "preact/hooks";
import { fileSource, type Source, textSource } from "../model/sources.js";

export type Add = (added: readonly Source[]) => void;

/** The buttons for files and text. */
export function Openers({ add }: { readonly add: Add }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const shown = (): void => {
    dialog.current?.close();
    if (text.trim() !== "") add([textSource(text)]);
    setText("");
  };
  return (
    <>
      <label class="button">
        Open files
        <input
          type="file"
          multiple
          class="hidden"
          onChange={({ currentTarget }) => void opened(currentTarget.files, add).then(() => (currentTarget.value = ""))}
        />
      </label>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Paste text
      </button>
      <dialog ref={dialog} aria-labelledby="paste-title">
        <h2 id="paste-title">Paste text</h2>
        <label>
          A stream, deltas, messages, or a report
          <textarea value={text} onInput={(event) => setText(event.currentTarget.value)} rows={12} />
        </label>
        <p class="row">
          <button type="button" class="primary" onClick={shown}>
            Show
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </dialog>
    </>
  );
}

/** Opens what is dropped anywhere on the page, and text that is pasted outside of a field. */
export function useDropAndPaste(add: Add): void {
  useEffect(() => {
    const over = (event: DragEvent): void => event.preventDefault();
    const dropped = (event: DragEvent): void => {
      event.preventDefault();
      void opened(event.dataTransfer?.files, add);
    };
    const pasted = (event: ClipboardEvent): void => {
      const isField = event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (isField) return;
      if (text.trim() !== "") add([textSource(text)]);
      else void opened(event.clipboardData?.files, add);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", dropped);
    document.addEventListener("paste", pasted);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", dropped);
      document.removeEventListener("paste", pasted);
    };
  }, [add]);
}

async function opened(files: FileList | null | undefined, add: Add): Promise<void> {
  const found = [...(files ?? [])];
  if (found.length > 0) add(await Promise.all(found.map(fileSource)));
}
