/** A JSON value, to be read. */

import { visibleText } from "../model/visible.js";

const MOST = 20_000;

export interface JsonTreeProps {
  readonly value: unknown;
  /** The type of the value, in whose schema its members are described. */
  readonly type?: string;
  readonly pointer?: string;
  readonly highlight?: string;
}

export function JsonTree({ value }: JsonTreeProps) {
  const text = JSON.stringify(value, null, 2) ?? "";
  return <pre class="json">{visibleText(text.length > MOST ? `${text.slice(0, MOST)}…` : text)}</pre>;
}
