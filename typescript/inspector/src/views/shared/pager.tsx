/** Goes through a long list page by page. */

import { numberWords } from "../../model/numbers.js";

export interface PagerProps {
  /** What is listed, such as Messages. */
  readonly noun: string;
  /** Tells it from another one of the same list. */
  readonly where?: string;
  readonly count: number;
  readonly size: number;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

export function Pager({ noun, where = "", count, size, page, onPage }: PagerProps) {
  const pages = Math.ceil(count / size);
  if (pages <= 1) return null;
  const go = (target: number): void => onPage(Math.min(Math.max(target, 0), pages - 1));
  const from = page * size + 1;
  const to = Math.min(from + size - 1, count);
  return (
    <nav class="pager" aria-label={`Pages of ${noun}${where}`}>
      <button type="button" disabled={page === 0} onClick={() => go(page - 1)}>
        Previous
      </button>
      <span>
        {noun} {numberWords(from)} to {numberWords(to)} of {numberWords(count)}
      </span>
      <button type="button" disabled={page === pages - 1} onClick={() => go(page + 1)}>
        Next
      </button>
      <label>
        Go to{" "}
        <input
          type="number"
          min={1}
          max={count}
          value={from}
          onChange={({ currentTarget: { valueAsNumber: number } }) => {
            if (Number.isInteger(number)) go(Math.floor((number - 1) / size));
          }}
        />
      </label>
    </nav>
  );
}
