/** Text of a document: never markup, with what hides in it shown, and clipped where it is long. */

import { useState } from "preact/hooks";
import { countOf, numberWords } from "../../model/numbers.js";
import { clipped, stretchesOf } from "../../model/visible.js";

export interface VisibleProps {
  readonly text: string;
  /** How many characters are shown before a button asks for the rest. */
  readonly most?: number;
}

export function Visible({ text, most = 4000 }: VisibleProps) {
  const [shown, more] = useClip(text, most);
  return (
    <span class="visible">
      <Stretches text={shown} />
      {more}
    </span>
  );
}

/** Text with what hides in it. */
export function Stretches({ text }: { readonly text: string }) {
  return (
    <>
      {stretchesOf(text).map(({ text: piece, code }, index) =>
        code === undefined ? (
          piece
        ) : (
          <span key={index} class="hidden-character" title="a character that does not show">
            {code}
          </span>
        ),
      )}
    </>
  );
}

/** How many characters a button adds at most: a page that draws millions at once stops. */
const STEP = 50_000;

/** Returns as much of a text as is shown, and the button for more of it. */
export function useClip(text: string, most: number) {
  const [added, setAdded] = useState(0);
  const shown = clipped(text, most + added);
  const left = text.length - shown.length;
  if (left <= 0) return [shown, undefined] as const;
  const all = countOf(text.length, "character");
  const label = left <= STEP ? `show all ${all}` : `show ${numberWords(STEP)} more of ${all}`;
  const more = (
    <>
      …{" "}
      <button type="button" class="small" onClick={() => setAdded(added + STEP)}>
        {label}
      </button>
    </>
  );
  return [shown, more] as const;
}
