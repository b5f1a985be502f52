// Takes over the reader's choice of light or dark from the book, which keeps it in the browser's
// storage under the path of its first page; else the system's setting counts.
(() => {
  "use strict";
  const book = new URL("..", document.currentScript.src).pathname;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  function follow() {
    let chosen;
    try {
      chosen = JSON.parse(localStorage.getItem(`${book}.__palette`))?.color?.scheme;
    } catch {
      chosen = undefined; // no storage: a private window
    }
    const isDark = chosen ? chosen === "slate" : system.matches;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
  }
  follow();
  system.addEventListener("change", follow);
  window.addEventListener("storage", follow);
})();
