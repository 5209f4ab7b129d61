/** The types of sessions in the current version. */
export type * from "../../generated/v0_2/session.js";
