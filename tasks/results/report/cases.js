// The matrix of the cases: a row a case, a column a model. The filters, the open case and the two
// models beside each other are all in the address, so that a reader can send on what they see.

const AT_ONCE = 50;
// The name of a filter in the address -> its field.
const FIELDS = { form: "filter-variant", model: "filter-model", verdict: "filter-rating", search: "filter-text" };
const JUDGES_DISAGREE = "judges-disagree"; // a verdict in the address
const OTHERWISE = "≠"; // what another judge saw otherwise
const SIGNS_OF = { true: ["✓", "good"], false: ["✗", "not good"], null: ["•", ""] };
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Whether two verdicts disagree: one good and one not, or two names if neither is either. */
function disagree(one, other) {
  return Boolean(one?.name && other?.name) && (one.isGood ?? one.name) !== (other.isGood ?? other.name);
}

/** The places of two models to show beside each other: those asked for, else the first that disagree. */
function twoModels({ given }, verdicts, left, right) {
  const asked = [...given].flatMap((letter, place) => (letter === " " ? [] : [place]));
  const lefts = asked.includes(left) ? [left] : asked.includes(right) ? asked.filter((place) => place !== right) : asked;
  if (asked.includes(right) && right !== lefts[0]) return [lefts[0], right].filter((place) => place !== undefined);
  for (const one of lefts) {
    const other = asked.find((place) => disagree(verdicts[given[one]], verdicts[given[place]]));
    if (other !== undefined) return [one, other];
  }
  return [lefts[0], asked.find((place) => place !== lefts[0])].filter((place) => place !== undefined);
}

/** The choices of the filter by verdict: a value for the address, a text, and the letters it stands for. */
function verdictChoices(verdicts, given) {
  const entries = Object.entries(verdicts).filter(([letter]) => given.has(letter));
  const choices = [];
  for (const [value, isGood] of [["good", true], ["not good", false]]) {
    const found = entries.filter(([, verdict]) => verdict.isGood === isGood);
    const names = found.map(([, { name }]) => name);
    // a name that is both good and not good tells nothing
    const isPlain = names.every((name) => entries.every(([, verdict]) => verdict.name !== name || verdict.isGood === isGood));
    if (found.length > 1) choices.push([value, isPlain ? `${value} (${names.join(", ")})` : value, found.map(([letter]) => letter).join("")]);
  }
  for (const name of new Set(entries.map(([, verdict]) => verdict.name))) {
    choices.push([name, name, entries.filter(([, verdict]) => verdict.name === name).map(([letter]) => letter).join("")]);
  }
  return [...choices, ["not judged", "not judged", "-"]];
}

/** A verdict's name as words. */
const wordOf = (verdict) => (verdict?.name ?? "not judged").replaceAll("_", " ");

class CaseBrowser {
  isNew = true; // until the address that the page was opened with is followed

  constructor(index) {
    this.index = index;
    this.entries = index.cases.map(([id, pair, variant, query, given, ...others]) => {
      const { company, year } = index.pairs[pair];
      return { id, pair, variant, query, given, others, words: `${query} ${company} ${year} ${id}`.toLowerCase() };
    });
    this.byId = new Map(this.entries.map((entry) => [entry.id, entry]));
    this.chunks = new Map();
    this.places = new Map(index.models.map(({ name }, place) => [name, place]));
    const choices = verdictChoices(index.verdicts, new Set(this.entries.flatMap(({ given }) => [...given])));
    this.letters = new Map(choices.map(([value, , letters]) => [value, letters]));
    this.fields = Object.fromEntries(Object.entries(FIELDS).map(([name, id]) => [name, byId(id)]));
    const fill = (field, options) => field.append(...options.map(([value, text]) => element("option", { value }, text)));
    fill(this.fields.form, index.variants.map((name) => [name, name]));
    fill(this.fields.model, index.models.map(({ name }) => [name, name]));
    if (index.models.length > 1) choices.push(["disagree", "models disagree"]);
    if (index.judges.length > 1) choices.push([JUDGES_DISAGREE, "judges disagree"]);
    fill(this.fields.verdict, choices);
    this.compareJudges();
    for (const field of Object.values(this.fields)) field.addEventListener("input", () => this.choose(field.type === "search"));
    document.querySelector("form.filters").addEventListener("submit", (event) => event.preventDefault());
    byId("more-cases").addEventListener("click", () => this.show(this.first, this.last + AT_ONCE));
    byId("earlier-cases").addEventListener("click", () => this.show(this.first - AT_ONCE, this.last));
    byId("case-list").addEventListener("click", (event) => this.click(event));
    byId("case-list").addEventListener("keydown", (event) => this.move(event));
    addEventListener("hashchange", () => this.follow(true));
    this.follow(location.hash.length > 1);
  }

  /** Say on how many answers the page's judge and each other one disagree, with a link to their cases. */
  compareJudges() {
    const { judges: [judge, ...others], models, verdicts } = this.index;
    const said = others.map((other, number) => {
      const both = this.entries.flatMap(({ given, others: of }) =>
        [...given].flatMap((letter, place) => (letter in verdicts && of[number][place] in verdicts ? [[letter, of[number][place]]] : [])));
      const n = both.filter(([one, two]) => disagree(verdicts[one], verdicts[two])).length;
      return both.length ? `${judge} and ${other} disagree on ${n ? n.toLocaleString("en") : "none"} of ${both.length.toLocaleString("en")} answers` : null;
    }).filter(Boolean);
    const n = this.entries.filter((entry) => models.some((_, place) => this.otherwise(entry, place).length)).length;
    const cases = n === 1 ? "1 case" : `${n.toLocaleString("en")} cases`;
    const shown = n ? [" (", element("a", { href: `#verdict=${JUDGES_DISAGREE}` }, cases), `), marked ${OTHERWISE}.`] : ["."];
    byId("other-judges").hidden = !said.length;
    byId("other-judges").append(said.join(", "), ...shown);
  }

  /** The other judges who saw a model's answer otherwise, each with its verdict. */
  otherwise({ given, others }, place) {
    const { judges, verdicts } = this.index;
    return others.flatMap((of, number) => {
      const verdict = verdicts[of[place]];
      return disagree(verdicts[given[place]], verdict) ? [[judges[number + 1], verdict]] : [];
    });
  }

  /** What the address says, or null if it is that of a section of the page. */
  get addressed() {
    const said = new URLSearchParams(location.hash.slice(1));
    const id = [...said.keys()].find((key) => key.startsWith("case-"));
    const names = [...Object.keys(FIELDS), "left", "right"];
    if (location.hash.length > 1 && !id && !names.some((name) => said.has(name))) return null;
    return { id, ...Object.fromEntries(names.map((name) => [name, said.get(name) ?? ""])) };
  }

  /** The address of a case, or of no case, with the filters that are set and the two models. */
  address(id, models = {}) {
    const filters = Object.entries(this.fields).map(([name, field]) => [name, field.value]);
    const rest = new URLSearchParams([...filters, ...Object.entries(models)].filter(([, value]) => value)).toString();
    return `#${[id && encodeURIComponent(id), rest].filter(Boolean).join("&")}`;
  }

  /** Show what the address says. */
  follow(isAsked) {
    const said = this.addressed ?? (this.found ? null : {});
    if (said === null) return;
    for (const [name, field] of Object.entries(this.fields)) {
      field.value = said[name] ?? "";
      if (field.selectedIndex === -1) field.value = ""; // the address is of another page or release
    }
    [this.id, this.left, this.right] = [said.id, said.left, said.right];
    this.search();
    this.open(isAsked && Boolean(said.id));
    // filters alone are no place of the page that a browser would go to
    if (this.isNew && this.addressed && location.hash.length > 1 && !said.id) byId("cases").scrollIntoView();
    this.isNew = false;
  }

  /** Take up a filter. While a reader types, each letter replaces the last one's address. */
  choose(isTyped) {
    const address = this.address(this.id, { left: this.left, right: this.right });
    history[isTyped && this.wasTyped ? "replaceState" : "pushState"](null, "", address);
    this.wasTyped = isTyped;
    this.search();
    if (!this.id) this.open(false);
  }

  /** Find the cases; if the filters are those of the shown rows, these stay as they are. */
  search() {
    const address = this.address();
    if (address === this.shownFor) return;
    this.shownFor = address;
    const { form, model, verdict, search } = Object.fromEntries(Object.entries(this.fields).map(([name, { value }]) => [name, value]));
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const place = this.places.get(model);
    const fits = this.fitting(verdict, place);
    const { variants, models } = this.index;
    this.found = this.entries.filter((entry) =>
      (form === "" || variants[entry.variant] === form) &&
      fits(entry) &&
      words.every((word) => entry.words.includes(word)));
    const count = this.found.length.toLocaleString("en");
    byId("cases-found").textContent = this.found.length === 1 ? "1 case" : `${count} cases`;
    // the chosen model stands first, where it is seen without scrolling
    const all = [...models.keys()];
    this.columns = place === undefined ? all : [place, ...all.filter((other) => other !== place)];
    byId("case-heads").replaceChildren(
      element("th", { scope: "col" }, "Case"),
      ...this.columns.map((column) => element(
        "th",
        { scope: "col", class: "name" },
        models[column].name,
        models[column].isBaseline ? element("span", { class: "tag" }, "baseline") : null,
      )),
    );
    byId("case-list").closest("table").style.setProperty("--models", models.length);
    this.cells = new Map();
    this.clear(0);
    this.show(0, AT_ONCE);
  }

  /** Return whether a case fits a verdict: of the chosen model, or of any. */
  fitting(verdict, place) {
    const { verdicts } = this.index;
    const letters = this.letters.get(verdict);
    if (verdict === JUDGES_DISAGREE) {
      const places = place === undefined ? [...this.index.models.keys()] : [place];
      return (entry) => places.some((each) => this.otherwise(entry, each).length);
    }
    if (verdict === "disagree") {
      return ({ given }) => {
        const one = verdicts[place === undefined ? [...given].find((letter) => letter in verdicts) : given[place]];
        return [...given].some((letter) => disagree(one, verdicts[letter]));
      };
    }
    const matches = (letter) => letter !== " " && (letters === undefined || letters.includes(letter));
    return ({ given }) => (place === undefined ? [...given].some(matches) : matches(given[place]));
  }

  /** Take all rows away; the next ones are shown from here on. */
  clear(start) {
    byId("case-list").replaceChildren();
    byId("case-list").closest(".matrix").scrollTop = 0;
    this.first = this.last = start;
  }

  /** Show the rows from one place to another, besides those that are shown already. */
  show(first, last) {
    const rows = (from, to) => this.found.slice(Math.max(from, 0), to).map((entry) => this.row(entry));
    byId("case-list").prepend(...rows(first, this.first));
    byId("case-list").append(...rows(this.last, last));
    this.first = Math.max(first, 0);
    this.last = Math.min(last, this.found.length);
    byId("earlier-cases").hidden = this.first === 0;
    byId("more-cases").hidden = this.last === this.found.length;
    this.mark();
  }

  row(entry) {
    const { company, year } = this.index.pairs[entry.pair];
    const form = this.index.hasForms ? this.index.variants[entry.variant] : null;
    const address = this.address(entry.id);
    return element(
      "tr",
      { "data-case": entry.id },
      element(
        "th",
        { scope: "row" },
        element(
          "a",
          { href: address, tabindex: "-1" },
          element("span", { dir: "auto" }, entry.query),
          element("span", { class: "about" }, [form, company, year].filter(Boolean).join(" · ")),
        ),
      ),
      ...this.columns.map((place) => this.cell(place, entry, address)),
    );
  }

  /** A model's verdict as a sign and a word, so that nobody needs its colour; alike cells are copies. */
  cell(place, entry, address) {
    const letter = entry.given[place];
    const key = [letter, ...entry.others.map((of) => of[place])].join("");
    if (!this.cells.has(key)) this.cells.set(key, this.newCell(letter, this.otherwise(entry, place)));
    const copy = this.cells.get(key).cloneNode(true);
    if (letter !== " ") copy.firstChild.setAttribute("href", `${address}&left=${encodeURIComponent(this.index.models[place].name)}`);
    return copy;
  }

  newCell(letter, otherwise) {
    if (letter === " ") return element("td", {}, element("span", { class: "unseen" }, "not asked"));
    const verdict = this.index.verdicts[letter];
    const [sign, meaning] = verdict ? SIGNS_OF[verdict.isGood] : ["?", ""];
    const word = wordOf(verdict);
    const others = otherwise.map(([judge, other]) => `${judge}: ${wordOf(other)}`).join(", ");
    return element(
      "td",
      { class: verdict ? meaning.replace(" ", "-") || null : "unjudged" },
      element(
        "a",
        { tabindex: "-1", title: others || null, "aria-label": [word, meaning, others && `but ${others}`].filter(Boolean).join(", ") },
        element("span", { class: "sign" }, sign),
        word,
        others ? element("span", { class: "otherwise" }, OTHERWISE) : null,
      ),
    );
  }

  /** A click anywhere in a cell follows its link; on the case that is open already, it leads there again. */
  click(event) {
    const link = event.target.closest("a");
    if (link?.hash === location.hash) this.open(true);
    if (!link && getSelection().isCollapsed) (event.target.querySelector("a") ?? event.target.closest("tr").querySelector("a")).click();
  }

  /** Arrow keys go from cell to cell: the tab key stops once in the matrix, not 1,200 times. */
  move(event) {
    const [down, right] = ARROWS[event.key] ?? [];
    const cell = event.target.closest("th, td");
    if (down === undefined || !cell || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    let next = cell;
    do { // past the cells of models that were not asked
      const row = down === 0 ? next.parentElement : down > 0 ? next.parentElement.nextElementSibling : next.parentElement.previousElementSibling;
      next = row?.children[next.cellIndex + right];
    } while (next && !next.querySelector("a"));
    if (!next) return;
    const link = next.querySelector("a");
    this.stopAt(link);
    link.focus({ preventScroll: true });
    this.reveal(next);
  }

  /** Scroll the matrix to a cell that is beyond its edges or below its headings. */
  reveal(cell) {
    const box = cell.closest(".matrix");
    const [seen, of] = [box.getBoundingClientRect(), cell.getBoundingClientRect()];
    const top = seen.top + byId("case-heads").offsetHeight;
    if (of.top < top) box.scrollTop -= top - of.top;
    else if (of.bottom > seen.top + box.clientHeight) box.scrollTop += of.bottom - seen.top - box.clientHeight;
    if (cell.cellIndex === 0) return;
    const left = seen.left + cell.parentElement.firstElementChild.offsetWidth;
    if (of.left < left) box.scrollLeft -= left - of.left;
    else if (of.right > seen.left + box.clientWidth) box.scrollLeft += of.right - seen.left - box.clientWidth;
  }

  /** Make a link the one where the tab key stops. */
  stopAt(link) {
    byId("case-list").querySelector('a[tabindex="0"]')?.setAttribute("tabindex", "-1");
    link?.setAttribute("tabindex", "0");
  }

  /** Mark the open case's row, if it is shown. */
  mark() {
    const list = byId("case-list");
    list.querySelector("a[aria-current]")?.removeAttribute("aria-current");
    const row = [...list.rows].find(({ dataset }) => dataset.case === this.openId);
    const link = row?.querySelector("a");
    link?.setAttribute("aria-current", "true");
    const stop = list.querySelector('a[tabindex="0"]');
    if (!row?.contains(stop)) this.stopAt(link ?? stop ?? list.querySelector("a"));
    return row;
  }

  /** Open the case in the address, or the first of the list. */
  async open(isAsked) {
    const entry = this.id ? this.byId.get(this.id) : this.found[0];
    const shown = byId("case");
    this.openId = entry?.id;
    const place = this.found.indexOf(entry);
    if (place >= 0 && !(this.first <= place && place < this.last)) {
      const start = place - (place % AT_ONCE);
      this.clear(start);
      this.show(start, start + AT_ONCE);
    }
    const row = this.mark();
    if (row && isAsked) this.reveal(row.firstElementChild);
    if (entry === undefined) {
      const text = this.id ? `This page has no case ${this.id}. It may be of another release.` : "No case fits the filters.";
      this.shownCase = null;
      shown.replaceChildren(element("p", { class: this.id ? "warning" : "note" }, text));
      if (isAsked) shown.scrollIntoView({ block: "start" });
      return;
    }
    if (!this.chunks.has(entry.pair)) this.chunks.set(entry.pair, openBlock(`cases-${entry.pair}`));
    const pair = await this.chunks.get(entry.pair);
    if (this.openId !== entry.id) return; // the reader has opened another case
    const found = pair.cases.find((one) => one.id === entry.id);
    const placeOf = (name) => this.places.get(name);
    let left = placeOf(this.left) ?? placeOf(this.fields.model.value);
    if (left === undefined && this.fields.verdict.value === JUDGES_DISAGREE) {
      left = this.columns.find((column) => this.otherwise(entry, column).length);
    }
    const models = twoModels(entry, this.index.verdicts, left, placeOf(this.right)).map((each) => this.index.models[each].name);
    const isShown = this.shownCase === [entry.id, ...models].join();
    this.shownCase = [entry.id, ...models].join();
    if (!isShown) shown.replaceChildren(...caseElements(pair, found, entry, this.index, models, (side, name) => this.turnTo(side, name, models)));
    if (isAsked) {
      shown.scrollIntoView({ block: "start" });
      shown.focus({ preventScroll: true });
    }
  }

  /** Show another model on a side; the one that stood there goes to the other side if it must. */
  async turnTo(side, name, [left, right]) {
    const other = side === "left" ? right : left;
    const was = side === "left" ? left : right;
    const [chosen, rest] = [name, name === other ? was : other];
    [this.left, this.right] = side === "left" ? [chosen, rest] : [rest, chosen];
    this.id = this.openId;
    this.wasTyped = false;
    history.pushState(null, "", this.address(this.id, { left: this.left, right: this.right }));
    await this.open(false);
    byId(`side-${side}`).focus();
  }
}

startTables();
if (typeof DecompressionStream === "undefined") {
  byId("cases-found").textContent = "This browser is too old to unpack the cases: it needs one of 2023 or later.";
} else {
  new CaseBrowser(await openBlock("cases-index"));
}
