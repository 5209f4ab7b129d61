/** The operations of the protocol: a JSON input in, a JSON result out. */
import {
  checkHistory,
  expire,
  failPending,
  InvalidStateTransition,
  MessageAssembler,
  PartwireError,
  read,
  readDelta,
  readWithFindings,
  repairHistory,
  StreamFailed,
  StreamProtocolError,
  toWire,
  transition,
  validate,
} from "../dist/index.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the bytes that a Text of the protocol stands for. */
function bytesOf(text) {
  if (typeof text !== "string") return Uint8Array.from(Buffer.from(text.base64, "base64"));
  if (!text.isWellFormed()) throw new TypeError("no text: half a surrogate pair has no UTF-8");
  return encoder.encode(text);
}

/** Returns bytes as a Text of the protocol. */
function textOf(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") };
  }
}

const findingsOf = (findings) => findings.map(({ rule, pointer, severity }) => ({ rule, pointer, severity }));

const placeOf = (error) => ({ rule: error.findings[0].rule, pointer: error.findings[0].pointer });

const refusalOf = (error) => ({ error: { ...placeOf(error), findings: findingsOf(error.findings) } });

/** Returns what `work` gives, or `refused` of an error of the contract; any other is thrown. */
function guarded(work, refused) {
  try {
    return work();
  } catch (error) {
    if (error instanceof PartwireError) return refused(error);
    throw error;
  }
}

// --- documents ------------------------------------------------------------------------------------

const validateDocument = ({ type, document }, version) => ({
  findings: findingsOf(validate(bytesOf(document), type, { version })),
});

const reading =
  (mode) =>
  ({ type, document }, version) =>
    guarded(() => {
      const { value, findings } = readWithFindings(bytesOf(document), type, { mode, version });
      return { value: toWire(value, type, { version }), findings: findingsOf(findings) };
    }, refusalOf);

// --- streams --------------------------------------------------------------------------------------

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelKeys = (object) => Object.fromEntries(Object.entries(object).map(([name, value]) => [camel(name), value]));

const message = (value, version) => toWire(value, "message.Message", { version });

function lineError(error, line) {
  const found = { rule: error.rule, line };
  if (error instanceof StreamProtocolError && error.seq !== undefined) found.seq = error.seq;
  if (error.limit !== undefined) found.limit = snake(error.limit);
  return found;
}

function assemble(given, version) {
  const { run_id: runId, limits = {}, mode = "strict" } = given;
  const assembler = new MessageAssembler({ ...(runId === undefined ? {} : { runId }), limits: camelKeys(limits) });
  const seen = { snapshots: [], progress: [], refused: [] };
  let result;
  for (const [index, line] of given.deltas.entries()) {
    const error = guarded(
      () => void assembler.consume(readDelta(bytesOf(line), mode)),
      (refused) => lineError(refused, index + 1),
    );
    if (error !== undefined && given.drop_refused !== true) {
      result = { error };
      break;
    }
    if (error !== undefined) seen.refused.push(error);
    look(assembler, given, seen);
  }
  result ??= ending(assembler, version);
  result.findings = findingsOf(assembler.findings);
  if (given.snapshots === true)
    result.snapshots = seen.snapshots.map(([text, snapshot]) => unchanged(text, snapshot, version));
  if (given.progress === true) result.progress = seen.progress;
  if (given.drop_refused === true) result.refused = seen.refused;
  return result;
}

function look(assembler, given, seen) {
  if (assembler.status === "idle") return;
  if (given.snapshots === true) seen.snapshots.push([JSON.stringify(assembler.snapshot()), assembler.snapshot()]);
  if (given.progress === true) {
    const { openCalls, usage } = assembler.progress();
    seen.progress.push(JSON.parse(JSON.stringify({ openCalls, usage })));
  }
}

/** Returns a snapshot, read again: it never changes. */
function unchanged(text, snapshot, version) {
  if (JSON.stringify(snapshot) !== text) throw new Error("a snapshot has changed after it was taken");
  return message(snapshot.toMessage(), version);
}

function ending(assembler, version) {
  return guarded(
    () => {
      assembler.close();
      return { message: message(assembler.buildFinalMessage(), version) };
    },
    (error) => {
      const outcome = { error: { rule: error.rule } };
      if (error instanceof StreamFailed) {
        return { ...outcome, failure: error.error, partial: message(error.partial, version) };
      }
      if (assembler.status !== "idle") outcome.partial = message(assembler.buildPartial(), version);
      return outcome;
    },
  );
}

// --- tool states ----------------------------------------------------------------------------------

/** Returns the state that a run gives; one that is not valid may be running, with input and time. */
function stateOf(document) {
  if (validate(document, "session.ToolState").length === 0) return read(document, "session.ToolState");
  if (document.status !== "running") throw new TypeError("a state that is not valid has to be running");
  return { status: "running", input: document.input, time: document.time };
}

function moveOn(asked) {
  const given = { ...asked, state: stateOf(asked.state) };
  const before = JSON.stringify(given.state);
  const result = guarded(
    () => {
      const after = moved(given);
      return after === given.state ? { same: true } : { state: toWire(after, "session.ToolState") };
    },
    (error) => ({
      error: placeOf(error),
      ...(error instanceof InvalidStateTransition ? { details: error.toDocument().details } : {}),
    }),
  );
  if (JSON.stringify(given.state) !== before) throw new Error("the given state has changed");
  return { ...result, before: given.state };
}

function moved({ call, state, to, fields }) {
  if (call === "expire") return expire(state, fields.now, fields.timeout_ms, fields.error);
  if (call === "fail_pending") return failPending(state, fields.error, fields.now);
  const { attachments, ...others } = camelKeys(fields);
  const files = attachments?.map((file) => ({ ...file, type: "file" }));
  return transition(state, to, files === undefined ? others : { ...others, attachments: files });
}

// --- histories ------------------------------------------------------------------------------------

const check = ({ messages, ongoing = false }, version) => ({
  findings: findingsOf(checkHistory(messages.map(bytesOf), { ongoing, version })),
});

const repair = ({ messages, ongoing = false, policy = {} }, version) =>
  guarded(() => {
    const repaired = repairHistory(messages.map(bytesOf), { ongoing, policy, version });
    const changes = repaired.changes.map(({ rule, pointer, action, result }) => ({
      rule,
      pointer,
      action,
      ...(result === undefined ? {} : { result }),
    }));
    return { messages: repaired.messages.map(textOf), changes };
  }, refusalOf);

export const OPERATIONS = new Map([
  ["validate", validateDocument],
  ["read", reading("strict")],
  ["read_tolerant", reading("tolerant")],
  ["assemble", assemble],
  ["transition", moveOn],
  ["check_history", check],
  ["repair_history", repair],
]);
