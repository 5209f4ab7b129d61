/**
 * Requests: the contract's messages, tools and configuration → a provider's request body.
 *
 *     const { body, findings } = encodeRequest("openai-chat", messages, { config, toolSpecs });
 *     await client.chat.completions.create(body); // findings: what could not be said as it was
 *
 * Sans-IO and pure. AWS's JavaScript client wants bytes where JSON has Base64:
 * {@link bedrockArguments}. A new provider is one module and one row in the registry.
 */
export { bedrockArguments } from "./bedrock/request.js";
export { ENCODERS, type EncoderClass, encodeRequest, encodeRequestText } from "./encoders.js";
export { type EncodedRequest, type EncodedText, RequestEncoder } from "./request_core/encoder.js";
export type { Messages, RequestOptions } from "./request_core/inputs.js";
