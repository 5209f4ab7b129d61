/** Changes of a schema to begin with, and what they do to those who read and write. */

export interface SchemaExample {
  readonly label: string;
  readonly old: unknown;
  readonly new: unknown;
}

const city = { type: "string", minLength: 1 };
const question = (more: Readonly<Record<string, unknown>>, required: readonly string[] = ["city"]): unknown => ({
  type: "object",
  properties: { city, ...more },
  required,
});

export const SCHEMA_EXAMPLES: readonly SchemaExample[] = [
  {
    label: "a member has to be there",
    old: question({ unit: { enum: ["C", "F"] } }),
    new: question({ unit: { enum: ["C", "F"] } }, ["city", "unit"]),
  },
  {
    label: "a length is limited",
    old: question({}),
    new: question({ city: { ...city, maxLength: 40 } }),
  },
  {
    label: "a word is new in an enum",
    old: question({ unit: { enum: ["C", "F"] } }),
    new: question({ unit: { enum: ["C", "F", "K"] } }),
  },
  {
    label: "a pattern says the same in other words",
    old: question({ day: { type: "string", pattern: "^[0-9]{4}-[0-9]{2}$" } }),
    new: question({ day: { type: "string", pattern: "^([0-9]{2}){2}-[0-9][0-9]$" } }),
  },
  {
    label: "a choice is written in another way",
    old: question({ days: { anyOf: [{ type: "integer", minimum: 1, maximum: 7 }, { const: 14 }] } }),
    new: question({
      days: {
        oneOf: [{ const: 14 }, { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 8 }],
      },
    }),
  },
];
