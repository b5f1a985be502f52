// What every page does. Lessons show "With a GPU" and "Without a GPU" as tabs: who has read one of the
// two first pages gets the tab of that page everywhere, until they choose another; the theme keeps the
// choice. And what is wider than its place can be scrolled with the keyboard, too.
document.addEventListener("DOMContentLoaded", () => {
  const tabs = { without_a_gpu: "Without a GPU", with_a_gpu: "With a GPU" };
  const page = location.pathname.match(/start\/(\w+)\.html$/)?.[1];
  if (tabs[page]) __md_set("__tabs", [tabs[page]]);

  const wide = document.querySelectorAll(".md-typeset :is(pre > code, .md-typeset__scrollwrap, .figure)");
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  for (const one of wide) sizes.observe(one);
});
