// A browser starts no worker for a page that was opened from a file, and the theme's search wants
// one. Here it gets a hidden frame that runs the same script.
if (location.protocol === "file:") {
  const forFrame = `
    postMessage = (data) => parent.postMessage(data, "*");
    importScripts = (...urls) => Promise.all(urls.map((url) => new Promise((loaded, failed) => {
      const script = document.createElement("script");
      Object.assign(script, { src: url, onload: loaded, onerror: failed });
      document.head.append(script);
    })));`;

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      this.frame.srcdoc =
        `<script>${forFrame}</script><script src="${new URL(url, location.href)}"></script>`;
      this.ready = new Promise((loaded) => this.frame.addEventListener("load", loaded));
      document.body.append(this.frame);
      window.addEventListener("message", (event) => {
        if (event.source !== this.frame.contentWindow) return;
        this.dispatchEvent(new MessageEvent("message", { data: event.data }));
      });
    }

    postMessage(data) {
      this.ready.then(() => {
        const frame = this.frame.contentWindow;
        frame.dispatchEvent(new frame.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}
