/** What is of less interest: it is made when it is first opened. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Visible } from "./visible.js";

export interface FoldProps {
  readonly label: string;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}

export function Fold({ label, isOpen = false, children }: FoldProps) {
  const [wasOpen, setOpen] = useState(isOpen);
  return (
    <details class="fold" open={isOpen} onToggle={(event) => event.currentTarget.open && setOpen(true)}>
      <summary>
        <Visible text={label} most={100} />
      </summary>
      {wasOpen && children}
    </details>
  );
}
