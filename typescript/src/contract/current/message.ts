/** The types of messages in the current version. */
export type * from "../../generated/v0_2/message.js";
