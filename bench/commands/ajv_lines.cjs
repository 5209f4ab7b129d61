// Validate JSON Lines by a compiled module: MODULE FILE. Prints what is wrong with each invalid
// line. Reading in chunks and splitting them is several times as fast as node:readline.
const fs = require("node:fs");

const validate = require(process.argv[2]);
const file = fs.openSync(process.argv[3]);
const chunk = Buffer.allocUnsafe(1 << 18);
const told = [];
let rest = Buffer.alloc(0);
let number = 0;

function look(line) {
  number++;
  if (line !== "" && !validate(JSON.parse(line))) {
    const [error] = validate.errors;
    told.push(`${number}: ${error.instancePath}: ${error.message}`);
  }
}

for (let size = fs.readSync(file, chunk); size > 0; size = fs.readSync(file, chunk)) {
  const data = Buffer.concat([rest, chunk.subarray(0, size)]);
  const end = data.lastIndexOf(10) + 1;
  if (end > 0) data.toString("utf8", 0, end - 1).split("\n").forEach(look);
  rest = Buffer.from(data.subarray(end));
}
if (rest.length > 0) look(rest.toString("utf8"));
if (told.length > 0) console.log(told.join("\n"));
process.exitCode = told.length > 0 ? 1 : 0;
