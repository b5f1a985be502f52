// The theme's search loads an index that weighs more than all else on a page, and a worker. Here both
// come when the search is opened first, or where the address asks for words. And a browser starts no
// worker for a page that was opened from a file: there, a hidden frame runs the same script.
{
  const wanted = new Promise((resolve) => {
    if (/[?&][hq]=/.test(location.search)) resolve();
    document.addEventListener("focusin", ({ target }) => {
      if (target.closest(".md-search")) resolve();
    });
  });

  // The theme loads the index as a script where the page is a file, and else by a request.
  const isIndex = (url) => /search\/search_index\.js(on)?$/.test(url);
  const { head } = document;
  head.appendChild = (node) => {
    if (node.src && isIndex(node.src)) wanted.then(() => head.append(node));
    else head.append(node);
    return node;
  };
  const request = XMLHttpRequest.prototype;
  const { open, send } = request;
  request.open = function (method, url, ...rest) {
    this.isIndex = isIndex(`${url}`);
    open.call(this, method, url, ...rest);
  };
  request.send = function (...body) {
    if (this.isIndex) wanted.then(() => send.apply(this, body));
    else send.apply(this, body);
  };

  const forFrame = `
    postMessage = (data) => parent.postMessage(data, "*");
    importScripts = (...urls) => Promise.all(urls.map((url) => new Promise((loaded, failed) => {
      const script = document.createElement("script");
      Object.assign(script, { src: url, onload: loaded, onerror: failed });
      document.head.append(script);
    })));`;

  /** A promise of what posts to a hidden frame with a script, whose messages go to `hear`. */
  function framed(url, hear) {
    const frame = document.createElement("iframe");
    frame.hidden = true;
    frame.title = "search";
    frame.srcdoc = `<script>${forFrame}</script><script src="${new URL(url, location.href)}"></script>`;
    const ready = new Promise((loaded) => frame.addEventListener("load", loaded));
    document.body.append(frame);
    window.addEventListener("message", (event) => {
      if (event.source === frame.contentWindow) hear(event.data);
    });
    const post = (data) =>
      frame.contentWindow.dispatchEvent(new frame.contentWindow.MessageEvent("message", { data }));
    return ready.then(() => ({ post, end: () => frame.remove() }));
  }

  const { Worker } = window;
  function started(url, hear) {
    const worker = new Worker(url);
    worker.addEventListener("message", ({ data }) => hear(data));
    return { post: (data) => worker.postMessage(data), end: () => worker.terminate() };
  }

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const hear = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const start = location.protocol === "file:" ? framed : started;
      this.worker = wanted.then(() => start(url, hear));
    }

    postMessage(data) {
      this.worker.then(({ post }) => post(data));
    }

    terminate() {
      this.worker.then(({ end }) => end());
    }
  };
}
