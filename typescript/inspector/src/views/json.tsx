/** A JSON value as a tree, with what the contract says of each place and what is wrong there. */

import type { Finding } from "partwire";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { stringify } from "../../../src/json/digits.js";
import { aboutPlace } from "../model/contract.js";
import { placeOf } from "../model/places.js";
import { firstOpen, type Marks, marksOf, pathTo, type Row, rowsOf } from "../model/tree.js";
import { copyText } from "./shared/clipboard.js";
import { useContract } from "./shared/contract.js";
import { Stretches, useClip, Visible } from "./shared/visible.js";
import "./documents.css";
import { countOf, numberWords } from "../model/numbers.js";

export interface JsonTreeProps {
  readonly value: unknown;
  /** The type of the value, such as `message.Message`, or `message.Message[]` for a list. */
  readonly type?: string;
  /** The pointer of the value in its document; those of findings and of `highlight` begin with it. */
  readonly pointer?: string;
  readonly findings?: readonly Finding[];
  /** The pointer of a place that is opened, shown and marked. */
  readonly highlight?: string | undefined;
  readonly label?: string;
}

const NONE: readonly Finding[] = [];

export function JsonTree({ value, type, pointer = "", findings = NONE, highlight, label = "JSON" }: JsonTreeProps) {
  const id = useId();
  const tree = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [active, setActive] = useState(pointer);
  const [tip, setTip] = useState<string>();
  // What the next rendering has to do: to focus a row, to bring the marked one into sight.
  const focus = useRef<string | undefined>(undefined);
  const isSought = useRef(false);
  const place = useMemo(() => (type === undefined ? undefined : placeOf(type)), [type]);
  const open = useMemo(() => firstOpen(value, pointer), [value, pointer]);
  const marks = useMemo(() => marksOf(value, findings, pointer), [value, findings, pointer]);
  const rows = rowsOf(value, (row) => said.get(row) ?? open.has(row), place, pointer);
  const marked = highlight === undefined ? undefined : pathTo(value, highlight, pointer).at(-1);
  const current = Math.max(
    rows.findIndex((row) => row.id === active),
    0,
  );

  useEffect(() => {
    if (highlight === undefined) return;
    const path = pathTo(value, highlight, pointer);
    setSaid((before) => new Map([...before, ...path.slice(0, -1).map((row) => [row, true] as const)]));
    setActive(path.at(-1) ?? pointer);
    isSought.current = true;
  }, [value, highlight, pointer]);
  useEffect(() => {
    const sought = isSought.current ? tree.current?.querySelector(".highlight") : null;
    if (sought) isSought.current = false;
    sought?.scrollIntoView({ block: "nearest" });
    const row = rows.findIndex((each) => each.id === focus.current);
    focus.current = undefined;
    if (row >= 0) (tree.current?.children[row] as HTMLElement | undefined)?.focus();
  });

  const toggle = (row: Row, isOpen = !row.open): void => {
    if (row.size !== undefined && row.size > 0) setSaid((before) => new Map(before).set(row.id, isOpen));
  };
  const go = (row: Row | undefined): void => {
    if (row === undefined) return;
    focus.current = row.id;
    setActive(row.id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[current];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target !== tree.current?.children[current]) return;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(rows[current + 1]),
      ArrowUp: () => go(rows[current - 1]),
      ArrowRight: () => (row.open ? go(rows[current + 1]) : toggle(row, true)),
      ArrowLeft: () => (row.open ? toggle(row, false) : go(parentOf(rows, current))),
      Home: () => go(rows[0]),
      End: () => go(rows.at(-1)),
      Enter: () => toggle(row),
      " ": () => toggle(row),
      Escape: () => setTip(undefined),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return (
    <div ref={tree} role="tree" aria-label={label} class="json-tree" onKeyDown={onKeyDown}>
      {rows.map((row, index) => (
        <TreeRow
          key={row.id}
          id={`${id}-${index}`}
          row={row}
          marks={marks}
          isCurrent={index === current}
          isMarked={row.id === marked}
          hasTip={row.id === tip}
          onToggle={() => {
            setActive(row.id);
            toggle(row);
          }}
          onTip={(isShown) => setTip(isShown ? row.id : undefined)}
          onFocus={() => {
            setActive(row.id);
            setTip(row.id);
          }}
        />
      ))}
    </div>
  );
}

function parentOf(rows: readonly Row[], index: number): Row | undefined {
  const depth = rows[index]?.depth ?? 0;
  return rows
    .slice(0, index)
    .reverse()
    .find((row) => row.depth < depth);
}

interface TreeRowProps {
  readonly id: string;
  readonly row: Row;
  readonly marks: Marks;
  readonly isCurrent: boolean;
  readonly isMarked: boolean;
  readonly hasTip: boolean;
  readonly onToggle: () => void;
  readonly onTip: (isShown: boolean) => void;
  readonly onFocus: () => void;
}

/** How far rows are moved in at most: what is nested deeper stays readable on a narrow screen. */
const MOST_DEEP = 12;

function TreeRow({ id, row, marks, isCurrent, isMarked, hasTip, onToggle, onTip, onFocus }: TreeRowProps) {
  const { key, range, depth, size, open } = row;
  const found = range === undefined ? (marks.at.get(row.id) ?? NONE) : NONE;
  const below = open ? undefined : marks.below.get(row.id);
  const isContainer = size !== undefined && size > 0;
  const worst = found[0]?.severity ?? below?.severity;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys, for all its rows
    <div
      role="treeitem"
      class={`tree-row${isMarked ? " highlight" : ""}${worst === undefined ? "" : ` has-${worst}`}`}
      aria-level={depth + 1}
      aria-setsize={row.count}
      aria-posinset={row.number + 1}
      aria-expanded={isContainer ? open : undefined}
      aria-selected={isMarked}
      aria-describedby={hasTip ? `${id}-tip` : undefined}
      tabIndex={isCurrent ? 0 : -1}
      style={{ paddingInlineStart: `${1.3 * Math.min(depth, MOST_DEEP) + 1.3}em` }}
      onFocus={(event) => event.target === event.currentTarget && onFocus()}
      onBlur={() => onTip(false)}
      onMouseEnter={() => onTip(true)}
      onMouseLeave={() => onTip(false)}
      onClick={(event) => !(event.target as Element).closest("button, .tip") && isContainer && onToggle()}
    >
      {isContainer && (
        <span class="twist" aria-hidden="true">
          {open ? "▾" : "▸"}
        </span>
      )}
      {range !== undefined && <span class="range">{`${range[0]} to ${range[1] - 1}`}</span>}
      {range === undefined && key !== undefined && (
        <>
          <span class={row.place === undefined ? "key" : "key described"}>
            <Visible text={String(key)} most={200} />
          </span>
          <span class="colon">: </span>
        </>
      )}
      {range === undefined && <Value value={row.value} size={size} digits={row.digits} />}
      {below !== undefined && <span class={`mark ${below.severity}`}>{countOf(below.count, "finding")} inside</span>}
      {found.slice(0, 5).map((finding, index) => (
        <span key={index} class={`mark ${finding.severity}`}>
          <Visible text={`${finding.severity}: ${finding.message}`} most={300} />
        </span>
      ))}
      {found.length > 5 && <span class="mark">{numberWords(found.length - 5)} more here</span>}
      {(isCurrent || hasTip) && range === undefined && (
        <span class="tree-actions">
          <CopyButton label="pointer" text={() => row.pointer} tabIndex={isCurrent ? 0 : -1} />
          <CopyButton label="value" text={() => row.digits ?? copied(row.value)} tabIndex={isCurrent ? 0 : -1} />
        </span>
      )}
      {hasTip && range === undefined && <Tip id={`${id}-tip`} row={row} findings={found} />}
    </div>
  );
}

function copied(value: unknown): string {
  return typeof value === "string" ? value : stringify(value);
}

function CopyButton({ label, text, tabIndex }: { label: string; text: () => string; tabIndex: number }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <button
      type="button"
      class="small"
      tabIndex={tabIndex}
      onClick={() => void copyText(text()).then(() => setDone(true))}
    >
      {done ? "copied" : `copy ${label}`}
    </button>
  );
}

interface ValueProps {
  readonly value: unknown;
  readonly size: number | undefined;
  readonly digits: string | undefined;
}

function Value({ value, size, digits }: ValueProps) {
  if (Array.isArray(value)) return <span class="size">{size === 0 ? "[]" : `[${countOf(size ?? 0, "item")}]`}</span>;
  if (size !== undefined) return <span class="size">{size === 0 ? "{}" : `{${countOf(size, "member")}}`}</span>;
  if (typeof value === "string") return <Text text={value} />;
  return <span class={`value ${value === null ? "null" : typeof value}`}>{digits ?? String(value)}</span>;
}

const MOST_SHOWN = 300;

/** A string in its quotes; only as much is spelled as is shown. */
function Text({ text }: { readonly text: string }) {
  const [shown, more] = useClip(text, MOST_SHOWN);
  const spelled = JSON.stringify(shown);
  return (
    <span class="value string visible">
      <Stretches text={more ? spelled.slice(0, -1) : spelled} />
      {more}
    </span>
  );
}

interface TipProps {
  readonly id: string;
  readonly row: Row;
  readonly findings: readonly Finding[];
}

/** What the contract says of a place; the reasons of the rules that it breaks. */
function Tip({ id, row, findings }: TipProps) {
  const contract = useContract(row.place !== undefined || findings.length > 0);
  if (contract === undefined || (row.place === undefined && findings.length === 0)) return null;
  const about = row.place === undefined ? undefined : aboutPlace(row.place, row.value, contract);
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  return (
    <div role="tooltip" id={id} class="tip">
      {about !== undefined && (
        <>
          {about.description !== undefined && <p>{about.description}</p>}
          <p class="aside">
            {[
              about.type,
              about.required === undefined ? undefined : about.required ? "required" : "optional",
              about.since === undefined ? undefined : `since ${about.since}`,
            ]
              .filter((fact) => fact !== undefined)
              .join(" · ")}
          </p>
          {about.constraints.map((each) => (
            <p key={each} class="aside">
              {each}
            </p>
          ))}
        </>
      )}
      {rules.map((rule) => (
        <p key={rule}>
          <b>{rule}</b> {contract.rules[rule]?.summary}
        </p>
      ))}
    </div>
  );
}
