/** What the page says about types, members, rules and losses: read from the schemas, compressed, and put into it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** What a schema says of a type in words. */
export interface TypeText {
  readonly description?: string;
  /** The first version that has it, where that is not the first of all. */
  readonly since?: string;
  readonly members?: Readonly<Record<string, { readonly description?: string; readonly since?: string }>>;
}

export interface RuleText {
  readonly severity: string;
  readonly summary: string;
  readonly reason: string;
  readonly zh: { readonly summary: string; readonly reason: string };
  readonly examples: Readonly<Record<string, unknown>>;
}

export interface ContractText {
  readonly version: string;
  /** Types by family and name. */
  readonly types: Readonly<Record<string, Readonly<Record<string, TypeText>>>>;
  readonly rules: Readonly<Record<string, RuleText>>;
  /** Code, then severity and what is lost, in English and in Chinese. */
  readonly losses: Readonly<Record<string, readonly [string, string, string]>>;
}

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
type Definitions = Readonly<Record<string, Schema>>;

const json = (path: string): Record<string, unknown> => JSON.parse(readFileSync(path, "utf8"));

/** Reads the folder of the schemas: the current version, and since when each type and member is there. */
export function contractOf(schemas: string): ContractText {
  const { current, versions } = json(join(schemas, "catalog.json")) as {
    current: string;
    versions: Record<string, { families: string[] }>;
  };
  const names = Object.keys(versions);
  const upTo = names.slice(0, names.indexOf(current) + 1);
  const { families = [] } = versions[current] ?? {};
  const typesOf = (family: string): Record<string, TypeText> => {
    const all = upTo.map((version) => ({ version, types: definitions(schemas, version, family) }));
    return Object.fromEntries(
      Object.entries(all.at(-1)?.types ?? {}).map(([name, schema]) => [name, typeText(name, schema, all)]),
    );
  };
  const rules: Record<string, RuleText> = {};
  for (const file of readdirSync(join(schemas, "rules"))) {
    for (const [rule, row] of Object.entries(json(join(schemas, "rules", file))["rules"] as Record<string, RuleText>)) {
      const { severity, summary, reason, zh, examples } = row;
      rules[rule] = { severity, summary, reason, zh, examples };
    }
  }
  return {
    version: current,
    types: Object.fromEntries(families.map((family) => [family, typesOf(family)])),
    rules,
    losses: json(join(schemas, "tables", "losses.json"))["losses"] as ContractText["losses"],
  };
}

/** Returns all definitions that a family of a version may use, its own before those that all have. */
function definitions(schemas: string, version: string, family: string): Definitions {
  const found: Record<string, Schema> = {};
  for (const folder of ["common", family]) {
    let files: string[] = [];
    try {
      files = readdirSync(join(schemas, version, folder)).filter((name) => name.endsWith(".schema.json"));
    } catch {
      // The version has no such family.
    }
    for (const file of files) Object.assign(found, json(join(schemas, version, folder, file))["$defs"]);
  }
  return found;
}

function typeText(name: string, schema: Schema, all: readonly { version: string; types: Definitions }[]): TypeText {
  const since = (has: (types: Definitions) => boolean): { since?: string } => {
    const first = all.find(({ types }) => has(types));
    return first === undefined || first === all[0] ? {} : { since: first.version };
  };
  const described = ({ description }: Schema): { description?: string } => (description ? { description } : {});
  const members = Object.entries(schema.properties ?? {}).map(([member, each]) => [
    member,
    { ...described(each), ...since((types) => types[name]?.properties?.[member] !== undefined) },
  ]);
  return {
    ...described(schema),
    ...since((types) => types[name] !== undefined),
    ...(members.length > 0 ? { members: Object.fromEntries(members) } : {}),
  };
}

const NAME = "virtual:contract";

/** Makes `virtual:contract`: its one export is the text above as Base64 of gzip, opened when it is first wanted. */
export function contractData(schemas: string): Plugin {
  return {
    name: "contract-data",
    resolveId: (source) => (source === NAME ? `\0${NAME}` : null),
    load: (id) => {
      if (id !== `\0${NAME}`) return null;
      const packed = gzipSync(JSON.stringify(contractOf(schemas)), { level: 9 }).toString("base64");
      return `export default ${JSON.stringify(packed)};`;
    },
  };
}
