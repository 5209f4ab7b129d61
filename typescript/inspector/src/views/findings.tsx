/** Findings: what does not fit, and where. */

import type { Finding } from "partwire";
import { visibleLine } from "../model/visible.js";

export interface FindingListProps {
  readonly findings: readonly Finding[];
  readonly onSelect?: (finding: Finding) => void;
}

export function FindingList({ findings, onSelect }: FindingListProps) {
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li key={`${finding.rule} ${finding.pointer}`} class={finding.severity}>
          <button type="button" onClick={() => onSelect?.(finding)}>
            <b>{finding.rule}</b> {visibleLine(finding.message, 400)} <code>{visibleLine(finding.pointer)}</code>
          </button>
        </li>
      ))}
    </ul>
  );
}
