// A filter for the page of claims: buttons that leave the rows of one verdict, and a list that leaves
// those of one text. Without scripts all rows show. `claims.html?verdict=wrong` begins with a choice.
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
  // The texts are those of the table that counts them; the last two lines are all others, and the sum.
  const texts = [...document.querySelectorAll("table")]
    .filter((table) => table.querySelector("th")?.textContent.trim() === "who says so")
    .flatMap((table) => [...table.querySelectorAll("td:first-child")])
    .map((cell) => cell.textContent.trim())
    .slice(0, -1);
  const textOf = (row) => {
    const who = row.querySelector("td:first-child em:last-child")?.textContent ?? "";
    return texts.find((text) => who.includes(text)) ?? texts.at(-1);
  };
  const choice = document.createElement("select");
  choice.setAttribute("aria-label", "Show claims by text");
  for (const text of ["all texts", ...texts]) choice.add(new Option(text));
  choice.addEventListener("change", () => show(shownKind));
  let shownKind = "all";
  place.append(choice, said);
  // The first heading that has claims below it.
  const first = verdicts[0].closest("table");
  const above = headings.filter(
    (heading) => heading.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  (above.at(-1) ?? first).before(place);

  function show(chosen) {
    shownKind = chosen;
    const byText = choice.selectedIndex > 0 ? choice.value : null;
    for (const [kind, button] of buttons) button.setAttribute("aria-pressed", kind === chosen);
    let count = 0;
    const shown = new Map(); // table: does it show a row?
    for (const verdict of verdicts) {
      const row = verdict.closest("tr");
      const table = row.closest("table");
      row.hidden =
        (chosen !== "all" && kindOf(verdict) !== chosen) || (byText && textOf(row) !== byText);
      shown.set(table, shown.get(table) || !row.hidden);
      count += row.hidden ? 0 : 1;
    }
    for (const [table, isShown] of shown) {
      table.hidden = !isShown;
      // All of the group, from its table up to its heading.
      let part = table.closest(".md-typeset__scrollwrap") ?? table;
      part.classList.toggle("no-claims", !isShown);
      while (part && part.tagName !== "H2") {
        part = part.previousElementSibling;
        part?.classList.toggle("no-claims", !isShown);
      }
    }
    said.textContent = `${count} of ${verdicts.length} claims`;
  }

  const asked = new URLSearchParams(location.search).get("verdict");
  show(kinds.has(asked) ? asked : "all");
});
