// Compile a schema to a module that stands alone: SCHEMA MODULE. Ajv is found through NODE_PATH.
const fs = require("node:fs");
const Ajv = require("ajv/dist/2020").default;
const standalone = require("ajv/dist/standalone").default;

const [schema, target] = process.argv.slice(2);
const ajv = new Ajv({ code: { source: true }, strict: false });
fs.writeFileSync(target, standalone(ajv, ajv.compile(JSON.parse(fs.readFileSync(schema, "utf8")))));
