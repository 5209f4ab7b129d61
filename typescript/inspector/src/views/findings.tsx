/** Findings: like ones as one, and beside the chosen one why its rule is there. */

import type { Finding } from "partwire";
import { useMemo, useRef, useState } from "preact/hooks";
import { isObject, own } from "../../../src/json/values.js";
import { type FindingGroup, groupFindings } from "../model/groups.js";
import { JsonTree } from "./json.js";
import { useContract } from "./shared/contract.js";
import { Fact } from "./shared/fact.js";
import { Visible } from "./shared/visible.js";
import "./documents.css";
import { numberWords } from "../model/numbers.js";

export interface FindingListProps {
  readonly findings: readonly Finding[];
  /** Called with the finding that was chosen, to show its place. */
  readonly onSelect?: (finding: Finding) => void;
}

/** Groups that are listed before a button asks for more, and findings of an opened group. */
const FIRST_GROUPS = 100;
const MORE = 20;

export function FindingList({ findings, onSelect }: FindingListProps) {
  const groups = useMemo(() => groupFindings(findings), [findings]);
  const [chosen, setChosen] = useState<Finding>();
  const [most, setMost] = useState(FIRST_GROUPS);
  const list = useRef<HTMLUListElement>(null);
  const current = chosen !== undefined && findings.includes(chosen) ? chosen : groups[0]?.first;
  const choose = (finding: Finding): void => {
    setChosen(finding);
    onSelect?.(finding);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>("button.finding") ?? [])];
    const next = buttons[buttons.indexOf(document.activeElement as HTMLElement) + step];
    event.preventDefault();
    next?.focus();
  };
  if (current === undefined) return <p class="quiet">Nothing was found.</p>;
  return (
    <div class="findings">
      <ul ref={list} class="finding-list" onKeyDown={onKeyDown}>
        {groups.slice(0, most).map((group, index) => (
          <Group key={index} group={group} chosen={current} onChoose={choose} />
        ))}
        {groups.length > most && (
          <li>
            <button type="button" class="small" onClick={() => setMost(most + FIRST_GROUPS)}>
              {numberWords(groups.length - most)} more
            </button>
          </li>
        )}
      </ul>
      <Explanation finding={current} />
    </div>
  );
}

interface GroupProps {
  readonly group: FindingGroup;
  readonly chosen: Finding;
  readonly onChoose: (finding: Finding) => void;
}

function Group({ group: { first, all }, chosen, onChoose }: GroupProps) {
  const [shown, setShown] = useState(1);
  const left = all.length - shown;
  return (
    <li>
      <FindingButton finding={first} isChosen={first === chosen} onChoose={onChoose} />
      {shown > 1 && (
        <ul>
          {all.slice(1, shown).map((finding, index) => (
            <li key={index}>
              <FindingButton finding={finding} isChosen={finding === chosen} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      )}
      {left > 0 && (
        <button type="button" class="small more" onClick={() => setShown(shown + MORE)}>
          {numberWords(left)} more like this{shown > 1 ? `: next ${Math.min(left, MORE)}` : ""}
        </button>
      )}
    </li>
  );
}

interface FindingButtonProps {
  readonly finding: Finding;
  readonly isChosen: boolean;
  readonly onChoose: (finding: Finding) => void;
}

function FindingButton({ finding, isChosen, onChoose }: FindingButtonProps) {
  const { severity, rule, message } = finding;
  return (
    <button
      type="button"
      class="finding"
      aria-current={isChosen ? "true" : undefined}
      onClick={() => onChoose(finding)}
    >
      <span class={`mark ${severity}`}>{severity}</span> <Visible text={message} most={400} />
      <span class="where">
        <Visible text={placeText(finding)} most={200} />
      </span>
      <span class="rule">{rule}</span>
    </button>
  );
}

function placeText({ source, line, pointer }: Finding): string {
  const file = [source, line].filter((each) => each !== undefined).join(":");
  return [file, pointer].filter((each) => each !== "").join(" ");
}

/** One finding where it was found: its words, and on demand why. */
export function FindingNote({ finding }: { readonly finding: Finding }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class={`finding-note has-${finding.severity}`} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class={`mark ${finding.severity}`}>{finding.severity}</span> <Visible text={finding.message} most={400} />
        <span class="rule">{finding.rule}</span>
      </summary>
      {isOpen && <Explanation finding={finding} />}
    </details>
  );
}

type Language = "en" | "zh";
let language: Language = "en";

/** Why a rule is there, what breaks it and what does not. */
export function Explanation({ finding }: { readonly finding: Finding }) {
  const { rule, expected, actual, severity } = finding;
  const contract = useContract();
  const [tongue, setTongue] = useState(language);
  if (contract === undefined) return <div class="explanation" />;
  const text = own(contract.rules, rule) as (typeof contract.rules)[string] | undefined;
  const said = tongue === "zh" ? text?.zh : text;
  const choose = (chosen: Language): void => {
    language = chosen;
    setTongue(chosen);
  };
  return (
    <section class="explanation" aria-label={`About ${rule}`}>
      <div class="explanation-head">
        <b class="rule">{rule}</b> <span class={`mark ${severity}`}>{severity}</span>
        <span class="languages">
          {(["en", "zh"] as const).map((each) => (
            <button
              key={each}
              type="button"
              class="small"
              lang={each}
              aria-pressed={each === tongue}
              onClick={() => choose(each)}
            >
              {each === "en" ? "English" : "中文"}
            </button>
          ))}
        </span>
      </div>
      <div lang={tongue}>
        {said === undefined ? (
          <p class="quiet">There is no text about this rule.</p>
        ) : (
          <>
            <p>{said.summary}</p>
            <p>{said.reason}</p>
          </>
        )}
      </div>
      <dl class="aside">
        <Fact name={tongue === "zh" ? "位置" : "Where"}>
          <Visible text={placeText(finding) || (tongue === "zh" ? "整个文档" : "the whole document")} most={400} />
        </Fact>
        {expected !== undefined && (
          <Fact name={tongue === "zh" ? "应为" : "Expected"}>
            <Visible text={expected} most={400} />
          </Fact>
        )}
        {actual !== undefined && (
          <Fact name={tongue === "zh" ? "实为" : "Actual"}>
            <Visible text={actual} most={400} />
          </Fact>
        )}
      </dl>
      {text !== undefined && <Examples examples={text.examples} tongue={tongue} />}
    </section>
  );
}

interface ExamplesProps {
  readonly examples: Readonly<Record<string, unknown>>;
  readonly tongue: Language;
}

function Examples({ examples, tongue }: ExamplesProps) {
  const none = tongue === "zh" ? examples["zh"] : examples["none"];
  if (typeof none === "string") return <p class="quiet">{none}</p>;
  return (
    <div class="examples">
      {(["bad", "good"] as const).map((which) => (
        <details key={which} open={which === "bad"} class={which}>
          <summary>{EXAMPLE_WORDS[which][tongue]}</summary>
          <Example example={examples[which]} />
        </details>
      ))}
    </div>
  );
}

const EXAMPLE_WORDS = {
  bad: { en: "What is reported", zh: "会报告的例子" },
  good: { en: "What is not reported", zh: "不会报告的例子" },
} as const;

/** An example as what it is: a document, a command with its files, a request, or lines of Python. */
function Example({ example }: { readonly example: unknown }) {
  if (!isObject(example)) return null;
  const { input, command, files, python, operation, request, ...rest } = example;
  const document = isObject(input) && "document" in input ? input["document"] : input;
  const type = isObject(input) && typeof input["type"] === "string" ? input["type"] : undefined;
  return (
    <>
      {typeof operation === "string" && (
        <p class="aside">
          {operation}
          {type === undefined ? "" : ` as ${type}`}
        </p>
      )}
      {typeof command === "string" && <pre>{command}</pre>}
      {typeof request === "string" && <pre>{request}</pre>}
      {Array.isArray(python) && <pre>{python.join("\n")}</pre>}
      {input !== undefined && <JsonTree value={document} label="Example" {...(type === undefined ? {} : { type })} />}
      {isObject(files) &&
        Object.entries(files).map(([name, content]) => (
          <div key={name}>
            <p class="aside">{name}</p>
            {typeof content === "string" ? <pre>{content}</pre> : <JsonTree value={content} label={name} />}
          </div>
        ))}
      {Object.keys(rest).length > 0 && <JsonTree value={rest} label="Example" />}
    </>
  );
}
