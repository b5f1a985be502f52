// Lessons show "With a GPU" and "Without a GPU" as tabs. Who has read one of the two first pages
// gets the tab of that page everywhere, until they choose another; the theme keeps the choice.
document.addEventListener("DOMContentLoaded", () => {
  const tabs = { without_a_gpu: "Without a GPU", with_a_gpu: "With a GPU" };
  const page = location.pathname.match(/start\/(\w+)\.html$/)?.[1];
  if (tabs[page]) __md_set("__tabs", [tabs[page]]);
});
