/** The types of content blocks in the current version. */
export type * from "../../generated/v0_2/blocks.js";
