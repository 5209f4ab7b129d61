/** Text of a document: never markup, with what hides in it shown, and clipped where it is long. */

import { useState } from "preact/hooks";
import { clipped, stretchesOf } from "../../model/visible.js";

export interface VisibleProps {
  readonly text: string;
  /** How many characters are shown before a button asks for the rest. */
  readonly most?: number;
}

export function Visible({ text, most = 4000 }: VisibleProps) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? text : clipped(text, most);
  return (
    <span class="visible">
      {stretchesOf(shown).map(({ text: piece, code }, index) =>
        code === undefined ? (
          piece
        ) : (
          <span key={index} class="hidden-character" title="a character that does not show">
            {code}
          </span>
        ),
      )}
      {shown.length < text.length && (
        <>
          …{" "}
          <button type="button" class="small" onClick={() => setWhole(true)}>
            show all {text.length.toLocaleString("en")} characters
          </button>
        </>
      )}
    </span>
  );
}
