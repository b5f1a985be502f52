// A filter for the page of claims: buttons that leave the rows of one verdict. Without scripts all
// rows show. `claims.html?verdict=wrong` begins with a choice.
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  const verdicts = [...document.querySelectorAll("td > .verdict")];
  if (!verdicts.length) return;
  const kindOf = (verdict) => [...verdict.classList].find((name) => name !== "verdict");
  const headings = [...document.querySelectorAll("h2")];
  const kinds = new Map([["all", "all"]]);
  for (const verdict of verdicts) kinds.set(kindOf(verdict), verdict.textContent);
  const place = document.createElement("div");
  place.className = "verdict-filter";
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", "Show claims by verdict");
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  const buttons = [...kinds].map(([kind, words]) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: words });
    button.addEventListener("click", () => show(kind));
    place.append(button);
    return [kind, button];
  });
  place.append(said);
  // The first heading that has claims below it.
  const first = verdicts[0].closest("table");
  const above = headings.filter(
    (heading) => heading.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  (above.at(-1) ?? first).before(place);

  function show(chosen) {
    for (const [kind, button] of buttons) button.setAttribute("aria-pressed", kind === chosen);
    let count = 0;
    const shown = new Map(); // table: does it show a row?
    for (const verdict of verdicts) {
      const row = verdict.closest("tr");
      const table = row.closest("table");
      row.hidden = chosen !== "all" && kindOf(verdict) !== chosen;
      shown.set(table, shown.get(table) || !row.hidden);
      count += row.hidden ? 0 : 1;
    }
    for (const [table, isShown] of shown) {
      table.hidden = !isShown;
      let heading = table.closest(".md-typeset__scrollwrap") ?? table;
      while (heading && heading.tagName !== "H2") heading = heading.previousElementSibling;
      heading?.classList.toggle("no-claims", !isShown);
    }
    said.textContent = `${count} of ${verdicts.length} claims`;
  }

  const asked = new URLSearchParams(location.search).get("verdict");
  show(kinds.has(asked) ? asked : "all");
});
