// Generated from schemas/catalog.json.
// Do not edit: change the catalog, then run `python -m codegen`.

/** What each contract version has: its types, schema data and verdicts. */

import { verdicts as message_v0_1 } from "../compiled/v0_1/message.js";
import { verdicts as session_v0_1 } from "../compiled/v0_1/session.js";
import { verdicts as blocks_v0_1 } from "../compiled/v0_1/blocks.js";
import { verdicts as envelope_v0_1 } from "../compiled/v0_1/envelope.js";
import * as v0_1 from "./v0_1/index.js";
import { verdicts as message_v0_2 } from "../compiled/v0_2/message.js";
import { verdicts as session_v0_2 } from "../compiled/v0_2/session.js";
import { verdicts as blocks_v0_2 } from "../compiled/v0_2/blocks.js";
import { verdicts as envelope_v0_2 } from "../compiled/v0_2/envelope.js";
import * as v0_2 from "./v0_2/index.js";
import { verdicts as message_v0_3 } from "../compiled/v0_3/message.js";
import { verdicts as session_v0_3 } from "../compiled/v0_3/session.js";
import { verdicts as blocks_v0_3 } from "../compiled/v0_3/blocks.js";
import { verdicts as envelope_v0_3 } from "../compiled/v0_3/envelope.js";
import * as v0_3 from "./v0_3/index.js";
import type { Verdict } from "../contract/binding.js";
import type { FamilyData } from "../contract/nodes.js";
import type { Version } from "./versions.js";

/** Types by version and name, and what tolerant reading gives for them. */
export interface Versions {
  "v0.1": { types: v0_1.Types; tolerant: v0_1.TolerantTypes };
  "v0.2": { types: v0_2.Types; tolerant: v0_2.TolerantTypes };
  "v0.3": { types: v0_3.Types; tolerant: v0_3.TolerantTypes };
}

/** The schema data and the verdicts of a version, by family. */
export interface Room {
  readonly families: Readonly<Record<string, FamilyData>>;
  readonly verdicts: Readonly<Record<string, Readonly<Record<string, Verdict>>>>;
}

export const ROOMS: Readonly<Record<Version, Room>> = {
  "v0.1": {
    families: v0_1.families,
    verdicts: { message: message_v0_1, session: session_v0_1, blocks: blocks_v0_1, envelope: envelope_v0_1 },
  },
  "v0.2": {
    families: v0_2.families,
    verdicts: { message: message_v0_2, session: session_v0_2, blocks: blocks_v0_2, envelope: envelope_v0_2 },
  },
  "v0.3": {
    families: v0_3.families,
    verdicts: { message: message_v0_3, session: session_v0_3, blocks: blocks_v0_3, envelope: envelope_v0_3 },
  },
};
