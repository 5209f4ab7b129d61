/* Fetches the index of the search when the search is used first, not with every page.
 *
 * Zensical fetches search.json (or search.js, from files) with every page, and gives what it holds to a worker.
 * Those files hold no items here. The worker of this script waits until somebody is about to search, fetches
 * search-index.js, adds its items to what Zensical has, and only then starts the worker of Zensical.
 */
"use strict";
(() => {
  const site = new URL(".", document.currentScript.src);
  const fromFiles = location.protocol === "file:";
  const InBrowser = window.Worker;

  /** Resolves when the pointer is on the search, or the focus, which its dialog takes for every key. */
  const used = new Promise((resolve) => {
    const isOfSearch = (node) => node.shadowRoot || node.closest?.(".md-search, [for=__search]");
    for (const event of ["pointerover", "touchstart", "focusin"]) {
      document.addEventListener(event, ({ target }) => isOfSearch(target) && resolve(), { passive: true });
    }
  });

  const load = (name) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(name, site);
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${name} cannot be read`));
      document.head.append(script);
    });

  window.Worker = class {
    constructor(address) {
      this.address = address;
    }

    async postMessage(message) {
      if (message.data.items) {
        try {
          await this.start(message.data.items);
        } catch (error) {
          return this.onerror(new ErrorEvent("error", { cancelable: true, error }));
        }
      }
      this.worker?.postMessage(message);
    }

    async start(items) {
      await used;
      await load("search-index.js");
      if (fromFiles) await load("iframe-worker.js"); // browsers have no workers for files
      if (this.isOver) return;
      for (const item of window.searchIndex) {
        items.push({ ...item, location: new URL(item.location, site).href });
      }
      this.worker = new (fromFiles ? window.IFrameWorker : InBrowser)(this.address);
      this.worker.onmessage = (event) => this.onmessage(event);
      this.worker.onerror = (event) => this.onerror(event);
    }

    terminate() {
      this.isOver = true;
      this.worker?.terminate();
    }
  };
})();
