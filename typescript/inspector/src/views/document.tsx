/** Any JSON: a queue message, content blocks, a part, as the type that fits or that is chosen. */

import { type Finding, PartwireError, type TypeName, validate } from "partwire";
import { useEffect, useMemo, useState } from "preact/hooks";
import { numberWords } from "../model/numbers.js";
import { findingsIn } from "../model/opened.js";
import { TYPES } from "../model/places.js";
import { fittingTypes, nearestType } from "../model/types.js";
import { FindingList } from "./findings.js";
import { JsonTree } from "./json.js";

export function DocumentView({ value }: { readonly value: unknown }) {
  const fitting = useMemo(() => fittingTypes(value), [value]);
  const guess = useMemo(() => fitting[0] ?? nearestType(value) ?? "", [fitting, value]);
  const [type, setType] = useState(guess);
  useEffect(() => setType(guess), [guess]);
  const findings = useMemo(() => (type === "" ? [] : findingsOf(value, type)), [value, type]);
  const [chosen, setChosen] = useState<Finding>();
  const list = Array.isArray(value) ? "[]" : "";
  return (
    <main class="documents">
      <p>
        <label>
          Type{" "}
          <select value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
            <option value="">none: any JSON</option>
            {fitting.length > 0 && (
              <optgroup label="fits">
                {fitting.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </optgroup>
            )}
            {Object.entries(TYPES).map(([family, names]) => (
              <optgroup key={family} label={family}>
                {names
                  .flatMap((name) => (list === "" ? [name] : [name, `${name}${list}`]))
                  .filter((name) => !fitting.includes(name))
                  .map((name) => (
                    <option key={name}>{name}</option>
                  ))}
              </optgroup>
            ))}
          </select>
        </label>{" "}
        {type !== "" && findings.length === 0 && <span class="mark good">valid</span>}
      </p>
      <JsonTree
        value={value}
        findings={findings}
        highlight={chosen?.pointer}
        label="Document"
        {...(type === "" ? {} : { type })}
      />
      {findings.length > 0 && (
        <>
          <h2>Findings ({numberWords(findings.length)})</h2>
          <FindingList findings={findings} onSelect={setChosen} />
        </>
      )}
    </main>
  );
}

/** Returns what is wrong with a value as a type, or with the items of a list. */
function findingsOf(value: unknown, type: string): readonly Finding[] {
  const name = type.replace("[]", "") as TypeName;
  try {
    return name === type || !Array.isArray(value) ? validate(value, name) : findingsIn(value, name);
  } catch (error) {
    if (error instanceof PartwireError) return error.findings;
    throw error;
  }
}
