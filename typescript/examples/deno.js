/** The service on Deno: `deno run --allow-net --allow-read --allow-env deno.js`, then open what it prints. */
import { handle } from "./service.js";

Deno.serve(
  {
    hostname: "127.0.0.1",
    port: Number(Deno.env.get("PORT") ?? 8000),
    onListen: ({ port }) => console.log(`http://127.0.0.1:${port}/`),
  },
  handle,
);
