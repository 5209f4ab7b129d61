/** What the examples use of Deno and Bun, whose own types would clash with Node's. */
declare const Deno: {
  readonly env: { get(name: string): string | undefined };
  serve(
    options: { hostname: string; port: number; onListen: (address: { port: number }) => void },
    handle: (request: Request) => Promise<Response>,
  ): void;
};
declare const Bun: {
  readonly env: Readonly<Record<string, string | undefined>>;
  serve(options: { hostname: string; port: number; fetch: (request: Request) => Promise<Response> }): {
    readonly port: number;
  };
};
