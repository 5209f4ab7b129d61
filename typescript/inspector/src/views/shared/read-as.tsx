/** The list from which the user chooses what a source is read as. */

import { CHOICES, type Choice, keyOf, labelOf } from "../../model/choices.js";
import type { As } from "../../model/sources.js";

export interface ReadAsProps {
  readonly label: string;
  readonly as: As;
  readonly onChoose: (as: As) => void;
}

export function ReadAs({ label, as, onChoose }: ReadAsProps) {
  const key = keyOf(as);
  const isListed = CHOICES.some((choice) => keyOf(choice) === key);
  // What the command line named may be a format that the page does not read.
  const choices: readonly Choice[] = isListed ? CHOICES : [{ ...as, label: labelOf(as) }, ...CHOICES];
  return (
    <label>
      {label}{" "}
      <select value={key} onChange={({ currentTarget }) => onChoose(choices[currentTarget.selectedIndex] ?? as)}>
        {choices.map((choice) => (
          <option key={keyOf(choice)} value={keyOf(choice)}>
            {choice.label}
          </option>
        ))}
      </select>
    </label>
  );
}
