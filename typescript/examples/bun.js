/** The service on Bun: `bun bun.js`, then open what it prints. */
import { handle } from "./service.js";

const server = Bun.serve({ hostname: "127.0.0.1", port: Number(Bun.env["PORT"] ?? 8000), fetch: handle });
console.log(`http://127.0.0.1:${server.port}/`);
