// The case browser: a list with filters, and the case in the address (#case-...).

const AT_ONCE = 50;

/** Summarise a case's verdicts by the chosen model, or by all; what is not judged counts for nothing. */
function verdictSummary(entry, place, verdicts) {
  const asked = place === null ? [...entry.given].filter((letter) => letter !== " ") : [entry.given[place]];
  if (asked.length === 1) return verdicts[asked[0]]?.name ?? "not judged";
  const judged = asked.map((letter) => verdicts[letter]).filter(Boolean);
  return judged.length === 0 ? "not judged" : `${judged.filter(({ isGood }) => isGood).length} of ${judged.length} good`;
}

/** The choices of a filter: all good or bad verdicts if there are several, and each verdict. */
function verdictChoices(verdicts) {
  const entries = Object.entries(verdicts);
  const groups = [["good", true], ["not good", false]].map(([name, isGood]) => {
    const found = entries.filter(([, verdict]) => verdict.isGood === isGood);
    const names = found.map(([, verdict]) => verdict.name).join(", ");
    return found.length > 1 ? [`${name} (${names})`, found.map(([letter]) => letter).join("")] : null;
  });
  return [...groups.filter(Boolean), ...entries.map(([letter, { name }]) => [name, letter])];
}

const matches = (letter, wanted) => letter !== " " && (wanted === "" || wanted.includes(letter));

class CaseBrowser {
  constructor(index) {
    this.index = index;
    this.entries = index.cases.map(([id, pair, variant, query, given]) => {
      const { company, year } = index.pairs[pair];
      return { id, pair, variant, query, given, words: `${query} ${company} ${year} ${id}`.toLowerCase() };
    });
    this.byId = new Map(this.entries.map((entry) => [entry.id, entry]));
    this.chunks = new Map();
    this.filters = ["variant", "model", "rating", "text"].map((name) => byId(`filter-${name}`));
    const [variant, model, rating] = this.filters;
    rating.lastElementChild.before(...verdictChoices(index.verdicts).map(([name, value]) => element("option", { value }, name)));
    index.variants.forEach((name, place) => variant.append(element("option", { value: place }, name)));
    index.models.forEach(({ name }, place) => model.append(element("option", { value: place }, name)));
    for (const filter of this.filters) filter.addEventListener("input", () => this.search());
    document.querySelector("form.filters").addEventListener("submit", (event) => event.preventDefault());
    byId("more-cases").addEventListener("click", () => this.showMore());
    addEventListener("hashchange", () => this.openAddressed(true));
    this.search();
    this.openAddressed(location.hash.startsWith("#case-"));
  }

  get chosenModel() {
    const [, model] = this.filters;
    return model.value === "" ? null : Number(model.value);
  }

  search() {
    const [variant, , rating, text] = this.filters.map((filter) => filter.value);
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const place = this.chosenModel;
    this.found = this.entries.filter((entry) =>
      (variant === "" || entry.variant === Number(variant)) &&
      (place === null
        ? [...entry.given].some((letter) => matches(letter, rating))
        : matches(entry.given[place], rating)) &&
      words.every((word) => entry.words.includes(word)));
    const count = this.found.length.toLocaleString("en");
    byId("cases-found").textContent = this.found.length === 1 ? "1 case" : `${count} cases`;
    byId("case-list").replaceChildren();
    byId("case-list").parentElement.scrollTop = 0;
    this.shown = 0;
    this.showMore();
  }

  showMore() {
    const next = this.found.slice(this.shown, this.shown + AT_ONCE);
    byId("case-list").append(...next.map((entry) => element("li", {}, this.link(entry))));
    this.shown += next.length;
    byId("more-cases").hidden = this.shown >= this.found.length;
  }

  link(entry) {
    const { company, year } = this.index.pairs[entry.pair];
    const form = this.index.hasForms ? this.index.variants[entry.variant] : null;
    const about = [company, year, form, verdictSummary(entry, this.chosenModel, this.index.verdicts)];
    return element(
      "a",
      { href: `#${entry.id}`, "aria-current": entry.id === this.openId ? "true" : null },
      element("span", { dir: "auto" }, entry.query),
      element("span", { class: "about" }, about.filter(Boolean).join(" · ")),
    );
  }

  /** Mark the open case in the list, and bring it into the list's view. */
  markOpen(entry) {
    while (this.shown <= this.found.indexOf(entry)) this.showMore();
    for (const link of byId("case-list").querySelectorAll("a")) {
      if (link.hash !== `#${entry.id}`) {
        link.removeAttribute("aria-current");
        continue;
      }
      link.setAttribute("aria-current", "true");
      const list = byId("case-list").parentElement;
      const below = link.getBoundingClientRect().top - list.getBoundingClientRect().top;
      const isSeen = below >= 0 && below + link.offsetHeight <= list.clientHeight;
      if (!isSeen) list.scrollTop += below - list.clientHeight / 3;
    }
  }

  /** Open the case in the address, or the first of the list. */
  async openAddressed(isAsked) {
    const id = decodeURIComponent(location.hash.slice(1));
    const isCase = id.startsWith("case-");
    if (isAsked && !isCase) return;
    const entry = isCase ? this.byId.get(id) : this.found[0];
    const shown = byId("case");
    if (entry === undefined) {
      shown.replaceChildren(element("p", { class: "warning" }, `This page has no case ${id}. It may be of another release.`));
      shown.scrollIntoView({ block: "start" });
      return;
    }
    this.openId = entry.id;
    this.markOpen(entry);
    if (!this.chunks.has(entry.pair)) this.chunks.set(entry.pair, openBlock(`cases-${entry.pair}`));
    const pair = await this.chunks.get(entry.pair);
    if (this.openId !== entry.id) return; // the reader has opened another case
    const found = pair.cases.find((one) => one.id === entry.id);
    shown.replaceChildren(...caseElements(pair, found, entry, this.index, this.chosenModel));
    if (isAsked) {
      shown.scrollIntoView({ block: "start" });
      shown.focus({ preventScroll: true });
    }
  }
}

startTables();
if (typeof DecompressionStream === "undefined") {
  byId("cases-found").textContent = "This browser is too old to unpack the cases: it needs one of 2023 or later.";
} else {
  new CaseBrowser(await openBlock("cases-index"));
}
