/** The types of queue messages in the current version. */
export type * from "../../generated/v0_2/envelope.js";
