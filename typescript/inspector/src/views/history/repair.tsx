/** What a repair of the history would change, before and after; nothing is changed here. */

import { type Finding, type HistoryChange, REPAIRS } from "partwire";
import { useMemo, useState } from "preact/hooks";
import { placeOfPointer } from "../../model/conversation.js";
import { countOf } from "../../model/numbers.js";
import { jsonLines, previewRepair, type RepairStep, type Snapshot } from "../../model/repair.js";
import { FindingList } from "../findings.js";
import { JsonTree } from "../json.js";
import { saveFile } from "../shared/files.js";
import { Pager } from "../shared/pager.js";
import { Visible } from "../shared/visible.js";

type Defect = keyof typeof REPAIRS;

export interface RepairProps {
  readonly documents: readonly unknown[];
  /** Shows a place of the history. */
  readonly go: (pointer: string) => void;
}

const PAGE = 50;
/** What can be chosen. */
const CHOICES = (Object.entries(REPAIRS) as [Defect, readonly string[]][]).filter(([, actions]) => actions.length > 1);
const FIRST: Readonly<Record<string, string>> = { "unreadable-message": "drop" };

export function RepairView({ documents, go }: RepairProps) {
  const [policy, setPolicy] = useState(FIRST);
  const [ongoing, setOngoing] = useState(false);
  const [page, setPage] = useState(0);
  const repair = useMemo(() => previewRepair(documents, policy, ongoing), [documents, policy, ongoing]);
  const controls = (
    <details class="fold">
      <summary>What is done about which defect</summary>
      <div class="policy">
        {CHOICES.map(([defect, actions]) => (
          <label key={defect}>
            {defect}{" "}
            <select
              value={policy[defect] ?? actions[0]}
              onChange={({ currentTarget: { value } }) => setPolicy({ ...policy, [defect]: value })}
            >
              {actions.map((action) => (
                <option key={action}>{action}</option>
              ))}
            </select>
          </label>
        ))}
        <label>
          <input type="checkbox" checked={ongoing} onChange={({ currentTarget: { checked } }) => setOngoing(checked)} />{" "}
          the history goes on: calls of its last turn may still be answered
        </label>
      </div>
    </details>
  );
  if (Array.isArray(repair)) {
    return (
      <>
        {controls}
        <p>The history is refused:</p>
        <FindingList findings={repair} onSelect={({ pointer }) => go(pointer)} />
      </>
    );
  }
  const { steps, messages, left } = repair as Exclude<typeof repair, Finding[]>;
  const save = (): void => saveFile("repaired.jsonl", jsonLines(messages), "application/jsonl");
  return (
    <>
      {controls}
      <p>
        {steps.length === 0
          ? "Nothing needs a repair."
          : `${countOf(steps.length, "change")}, after which there are ${countOf(messages.length, "message")}.`}{" "}
        {left.length > 0 && `Left after it: ${countOf(left.length, "finding")}. `}
        <button type="button" class="small" onClick={save}>
          Save the repaired history as JSON Lines
        </button>
      </p>
      <Pager noun="Changes" count={steps.length} size={PAGE} page={page} onPage={setPage} />
      <ol class="changes" start={page * PAGE + 1}>
        {steps.slice(page * PAGE, (page + 1) * PAGE).map((step, index) => (
          <li key={index}>
            <Change step={step} go={go} />
          </li>
        ))}
      </ol>
      {left.length > 0 && (
        <>
          <h2>Left after the repair</h2>
          <FindingList findings={left} />
        </>
      )}
    </>
  );
}

const ACTIONS: Readonly<Record<string, string>> = {
  drop: "taken out",
  rename: "renamed",
  move: "moved",
  keep: "kept",
  text: "made text",
  split: "split",
  answer: "answered",
};

function Change({
  step: { change, before, after },
  go,
}: {
  readonly step: RepairStep;
  readonly go: RepairProps["go"];
}) {
  const { action, rule, message } = change;
  return (
    <section class="change">
      <p>
        <span class="mark warning">{ACTIONS[action] ?? action}</span> <Visible text={message} most={300} />{" "}
        <span class="rule">{rule}</span>{" "}
        <button type="button" class="small" onClick={() => go(change.pointer)}>
          show <Visible text={change.pointer} most={100} />
        </button>
      </p>
      <div class="before-after">
        <Side label="Before" snapshot={before} />
        <Side label="After" snapshot={after} without={withoutText(change)} />
      </div>
    </section>
  );
}

function withoutText({ action }: HistoryChange): string {
  return action === "drop" ? "It is not in the repaired history." : "Nothing came of it alone.";
}

interface SideProps {
  readonly label: string;
  readonly snapshot: Snapshot | undefined;
  readonly without?: string;
}

function Side({ label, snapshot, without = "" }: SideProps) {
  if (snapshot === undefined) {
    return (
      <div>
        <p class="side">{label}</p>
        <p class="quiet">{without}</p>
      </div>
    );
  }
  const { pointer, role, value } = snapshot;
  const { document = 0, part } = placeOfPointer(pointer);
  const isPart = part !== undefined;
  const place = `message ${document + 1}${role === undefined ? "" : ` (${role})`}${isPart ? `, part ${part + 1}` : ""}`;
  return (
    <div>
      <p class="side">
        {label}: <Visible text={place} most={100} />
      </p>
      <JsonTree
        value={value}
        type={isPart ? "message.MessagePart" : "message.Message"}
        pointer={pointer}
        label={`${label}: ${place}`}
      />
    </div>
  );
}
