/** A page without a framework: fetch, server-sent events, and the message as far as it has come. */
import { MessageAssembler } from "partwire/assembler";
import { consumeStream } from "partwire/stream";

/** @param {string} selector */
const at = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector));

/** @param {string} question */
async function ask(question) {
  const assembler = new MessageAssembler();
  at("[role=alert]").textContent = "";
  at("#status").textContent = "streaming";
  try {
    const response = await fetch("/answers", { method: "POST", body: question });
    if (!response.ok) throw new Error(`The service answers ${response.status}`);
    for await (const _ of consumeStream(assembler, response.body)) {
      const texts = assembler.parts.map((part) => (part.kind === "text" ? part.payload.text : ""));
      at("#answer").textContent = texts.join("");
    }
    at("#status").textContent = assembler.buildFinalMessage().meta?.finishReason ?? "";
  } catch (error) {
    at("[role=alert]").textContent = String(error); // what has come stays on the page
    at("#status").textContent = "failed";
  }
}

at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  void ask(String(form.get("question")));
});

const first = new URLSearchParams(location.search).get("ask");
if (first !== null) void ask(first);
