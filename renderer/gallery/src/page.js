const root = document.documentElement;
const search = document.getElementById("search");
const cards = [...document.querySelectorAll("#all > li")];
const chips = [...document.querySelectorAll("nav button")];
const links = cards.map((card) => card.firstElementChild);
const views = new Map([...document.querySelectorAll("article")].map((view) => [view.id, view]));
// Without a target the browser neither scrolls nor takes the focus away: both are done here.
for (const view of views.values()) view.removeAttribute("id");
let category = "";
let last = null;

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const card of cards) {
    const fits = (!category || card.dataset.category === category)
      && words.every((word) => card.dataset.search.includes(word));
    card.hidden = !fits;
    count += fits;
  }
  document.getElementById("count").textContent = count === cards.length ? `${count}` : `${count} of ${cards.length}`;
  document.getElementById("none").hidden = count > 0 || root.classList.contains("one");
}

function choose(name) {
  category = name;
  for (const chip of chips) chip.setAttribute("aria-pressed", String(chip.dataset.category === name));
  filter();
}

function route() {
  const id = decodeURIComponent(location.hash.slice(1));
  const shown = views.get(id);
  document.querySelector("article.open")?.classList.remove("open");
  root.classList.toggle("one", Boolean(shown));
  filter();
  if (shown) {
    last = links.find((link) => link.hash === location.hash) ?? null;
    shown.classList.add("open");
    scrollTo(0, 0);
    shown.querySelector("h2").focus({ preventScroll: true });
  } else if (last) {
    last.focus();
    last.scrollIntoView({ block: "center" });
  }
}

function copied(button, text) {
  const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1200); };
  const select = () => getSelection().selectAllChildren(button.parentElement.querySelector("pre"));
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, select);
  else { select(); if (document.execCommand("copy")) done(); }
}

/** Moves between cards as they lie: by one, or by a row. */
function step(key) {
  const visible = links.filter((link) => !link.parentElement.hidden);
  const at = visible.indexOf(document.activeElement);
  if (at < 0) return false;
  const top = visible[0].offsetTop;
  const columns = visible.findIndex((link) => link.offsetTop > top);
  const row = columns < 0 ? visible.length : columns;
  const next = at + { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -row, ArrowDown: row }[key];
  if (!visible[next]) return false;
  visible[next].focus();
  return true;
}

/** The view before or after this one, of those that the search finds. */
function turn(by) {
  const visible = links.filter((link) => !link.parentElement.hidden);
  const next = visible[visible.indexOf(last) + by];
  if (next) location.hash = next.hash;
}

search.addEventListener("input", () => { if (root.classList.contains("one")) location.hash = ""; filter(); });
for (const chip of chips) chip.addEventListener("click", () => choose(chip.dataset.category));
addEventListener("hashchange", route);
addEventListener("click", (event) => {
  const button = event.target.closest("button.copy");
  if (button) copied(button, button.parentElement.querySelector("pre").textContent);
});
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target === search;
  if (event.key === "/" && !typing) { event.preventDefault(); search.focus(); search.select(); }
  else if (event.key === "Escape") {
    if (root.classList.contains("one")) location.hash = "";
    else { search.value = ""; choose(""); }
  } else if (event.key === "ArrowDown" && typing) { event.preventDefault(); links.find((link) => !link.parentElement.hidden)?.focus(); }
  else if (event.key.startsWith("Arrow") && !typing && !event.target.closest?.("pre, .wide")) {
    if (root.classList.contains("one")) { if (event.key === "ArrowLeft") turn(-1); if (event.key === "ArrowRight") turn(1); }
    else if (step(event.key)) event.preventDefault();
  }
});
route();
