// One case: the question, the filing's passages, and each model's answer.

const TAGS = { removed: "del", added: "ins", quoted: "mark" };

/** Make elements of pieces of text: kept, removed, added, quoted or left out. */
function marked(pieces) {
  return pieces.map(([kind, text]) => {
    if (kind === "left_out") return element("span", { class: "left-out" }, " … left out … ");
    return kind in TAGS ? element(TAGS[kind], {}, text) : text;
  });
}

/** Whether a passage has lines that are set with runs of spaces or dots, as a typed table, and none too long to stay whole. */
function isTyped(pieces) {
  const lines = pieces.map(([, text]) => text).join("").split("\n");
  return lines.some((line) => /\S(?: {3,}|\.{4,})/.test(line)) && lines.every((line) => line.length <= 160);
}

const EDGAR = "https://www.sec.gov/";

function filing(pair) {
  if (!pair.filing) return null;
  const parts = [pair.company, pair.form, pair.period && `year to ${pair.period}`, pair.filed && `filed ${pair.filed}`, pair.item && `Item ${pair.item}`];
  const line = element("p", { class: "note" }, parts.filter(Boolean).join(" · ") + " · ");
  // An address is untrusted data: only EDGAR's become links.
  if (pair.address?.startsWith(EDGAR)) {
    line.append(element("a", { href: pair.address, rel: "noopener noreferrer", target: "_blank" }, "the filing on EDGAR"));
  } else {
    line.append(`filing ${pair.filing}`);
  }
  return line;
}

/** Show a reply. If only a part of it is the answer, show that, and fold the whole reply. */
function answerTexts(text, read) {
  if (text === null) return [element("p", { class: "note" }, "No answer came.")];
  const whole = element("p", { class: "text", dir: "auto" }, text.trim() && text); // the style says that it is empty
  if (read === null) return [whole];
  return [
    element("p", { class: "text", dir: "auto" }, read),
    element("details", {}, element("summary", { class: "note" }, "whole reply"), whole),
  ];
}

/** Show a table of the filing; the cells that the answer needs are marked. */
function tableElement({ name, rows }) {
  if (!rows.length) return element("p", { class: "note" }, `${name} is too large to be shown here.`);
  return element(
    "div",
    { class: "scroll", role: "region", tabindex: "0", "aria-label": name },
    element(
      "table",
      { class: "of-filing" },
      element("caption", {}, name),
      ...rows.map((cells) => element("tr", {}, ...cells.map(([text, isHead, rowspan, colspan, isMarked]) =>
        element(isHead ? "th" : "td", { rowspan, colspan, dir: "auto" }, isMarked ? element("mark", {}, text) : text)))),
    ),
  );
}

const OPPOSITE = { won: "lost", lost: "won", tie: "tie" };

/** Show what a judge said of two answers in both orders; a game is won only if both say so. */
function gameElement({ turned: second, ...first }) {
  const { model: name, other_model: other } = first;
  const [said, turned] = [first.verdict, OPPOSITE[second.verdict]];
  const outcome = said && turned ? (said === turned ? said : "tie") : "not judged";
  const order = (shown, { verdict, unscored_reason: reason, rationale }) =>
    element("p", { class: "rationale text" }, `${shown} shown first: ${verdict ?? `not judged: ${reason}`}. ${rationale ?? ""}`);
  return element(
    "section",
    { class: "answer" },
    element(
      "header",
      {},
      element("span", { class: "name" }, `${name} against ${other}`),
      element("span", { class: outcome === "won" ? "rating good" : "rating" }, outcome),
    ),
    order(name, first),
    order(other, second),
  );
}

/** Show the comparisons, first those of the models that stand side by side. */
function games({ id, games: all = [], nOtherGames = 0 }, models) {
  const rank = ({ model, other_model: other }) => models.includes(model) + models.includes(other);
  const shown = [...all].sort((a, b) => rank(b) - rank(a));
  return [
    shown.length ? element("h4", {}, shown.length === 1 ? "Comparison" : `${shown.length} comparisons`) : null,
    ...shown.map((game) => gameElement(game)),
    nOtherGames ? element("p", { class: "note" }, `${nOtherGames} more of other models: tenkbench explain ${id}`) : null,
  ];
}

// What a reply named or missed, as paths around a point in the middle of a strip 1000 wide.
const SIGNS = {
  found: ["●", "M-8,0a8,8 0 1,0 16,0a8,8 0 1,0 -16,0"],
  missed: ["○", "M-8,0a8,8 0 1,0 16,0a8,8 0 1,0 -16,0"],
  taken: ["▲", "M0,-10L9,8H-9z"],
  other: ["×", "M-7,-7L7,7M-7,7L7,-7"],
};

/** Draw where in the text lies what a reply named or missed, above thin lines for all that it should not name. */
function strip(signs, others) {
  const paths = signs.filter(([, , at]) => at !== null).map(([sign, , at]) =>
    drawn("path", { class: sign, d: SIGNS[sign][1], transform: `translate(${10 + 9.8 * at},16)` }));
  const svg = drawn("svg", { class: "strip", viewBox: "0 0 1000 48", "aria-hidden": "true", focusable: "false" });
  svg.append(
    drawn("path", { class: "track", d: "M10,16H990" }),
    drawn("path", { class: "unwanted", d: others.map((bin) => `M${10 + 4.9 * (bin + 0.5)},32v14`).join("") }),
    ...paths,
  );
  return svg;
}

/** Where in a text something stands, in percent. */
const percentOf = (place) => (place === null ? null : Math.round(1000 * place) / 10);

/** Show which needles a reply named in a long text, drawn and in words. */
function named({ marks, others, nUnwanted }, model) {
  const signs = marks.map(({ number, place, kind, is_wanted: isWanted, models }) => {
    const isNamed = models.includes(model);
    const sign = isWanted ? (isNamed ? "found" : "missed") : !isNamed ? null : kind === null ? "other" : "taken";
    return [sign, number, percentOf(place)];
  }).filter(([sign]) => sign !== null);
  const told = { found: "needles found", missed: "needles missed", taken: `of ${nUnwanted} hard negatives taken`, other: "others listed" };
  const words = Object.entries(told).map(([sign, name]) => {
    const numbers = signs.filter(([each]) => each === sign).map(([, number]) => number);
    const count = numbers.length;
    return element("li", {}, `${SIGNS[sign][0]} ${count} ${name}${count ? `: ${numbers.join(", ")}` : ""}`);
  });
  if (others.length) words.push(element("li", {}, "thin lines: where hard negatives are"));
  return [strip(signs, others), element("ul", { class: "note signs" }, ...words)];
}

/** Show the lines of a long text that are marked. */
function markedLines({ marks, nUnwanted }) {
  const shown = marks.filter(({ line }) => line !== null);
  const nLeft = nUnwanted - shown.filter(({ is_wanted: isWanted }) => !isWanted).length;
  const cells = ({ number, place, kind, is_wanted: isWanted, line }) =>
    [number, place === null ? "" : `${percentOf(place)}\u00a0%`, kind, isWanted ? element("mark", {}, line) : line];
  return element(
    "div",
    { class: "scroll", role: "region", tabindex: "0", "aria-label": "In the text" },
    element(
      "table",
      { class: "marked" },
      element("caption", nLeft > 0 ? {} : { class: "unseen" }, nLeft > 0 ? `${nLeft} more hard negatives are not shown` : "In the text"),
      element("thead", {}, element("tr", {}, ...["Number", "At", "Kind", "Line"].map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...shown.map((mark) => element("tr", {}, ...cells(mark).map((cell) => element("td", { dir: "auto" }, cell))))),
    ),
  );
}

/** A verdict with its sign. */
const signed = (verdict, isGood) => `${verdict === null ? "?" : SIGNS_OF[isGood][0]}\u00a0${wordOf({ name: verdict })}`;

/** Show what each judge said of an answer, the page's judge first; one that differs from it has a mark. */
function opinions({ unscored_reason: reason, rationale, others, ...ours }, judge) {
  if (!others) return rationale ? element("p", { class: "rationale text" }, `${judge}: ${rationale}`) : null;
  const opinion = ({ judge: by, verdict, is_good: isGood, said }) => element(
    "div",
    {},
    element(
      "p",
      { class: "note" },
      element("span", { class: "name" }, by),
      ` ${signed(verdict, isGood)}`,
      by !== judge && disagree({ name: ours.verdict, isGood: ours.is_good }, { name: verdict, isGood }) ? ` ${OTHERWISE} disagrees` : null,
    ),
    said ? element("p", { class: "rationale text" }, said) : null,
  );
  return element("div", { class: "opinions" }, ...[{ ...ours, judge, said: reason ?? rationale }, ...others].map(opinion));
}

function answerElement(given, index, isChosen, found) {
  const { unscored_reason: reason, answer: text, finish_reason: finish, latency_ms: latency, answer_read: read, verdict, is_rated: isRated, is_good: isGood } = given;
  const goodness = !isRated || isGood === null ? "" : isGood ? ", good" : ", not good";
  const model = index.models.find(({ name }) => name === given.model);
  const seconds = latency === null ? null : element("span", { class: "note" }, `${(latency / 1000).toFixed(1)} s`);
  return element(
    "section",
    { class: isChosen ? "answer chosen" : "answer" },
    element(
      "header",
      {},
      element("span", { class: "name" }, model.name),
      model.isBaseline ? element("span", { class: "tag" }, "baseline") : null,
      element("span", { class: isGood ? "rating good" : "rating" }, verdict === null ? (reason ? `not judged: ${reason}` : "") : signed(verdict, isGood) + goodness),
      finish === "length" ? element("span", { class: "note" }, "cut off at the token limit") : null,
      seconds,
    ),
    ...answerTexts(text, read),
    ...(text !== null && found.marks?.some(({ place }) => place !== null) ? named(found, given.model) : []),
    opinions(given, index.judges[0]),
  );
}

/** Show how a case differs from its pair. */
function change(found) {
  const parts = [];
  if (found.query) {
    parts.push(element("h4", {}, "Changed from the question as it was written"), element("p", { class: "text" }, ...marked(found.query)));
  }
  if (!found.hasContext) parts.push(element("p", { class: "note" }, "The model was shown no filing at all."));
  for (const [name, pieces] of found.changed ?? []) {
    parts.push(element("h4", {}, name), element("p", { class: "passage text" }, ...marked(pieces)));
  }
  if (!found.isAnswerable && found.hasContext && !found.changed) {
    parts.push(element("p", { class: "note" }, "The question was written for another filing: the one shown does not answer it."));
  }
  return parts;
}

/** Show the answers of two models side by side, each with a menu of the others that were asked. */
function sideBySide(found, index, models, turnTo) {
  const of = (name) => found.answers.find(({ model }) => model === name);
  if (models.length < 2) return models.map((name) => answerElement(of(name), index, false, found));
  const side = (name, place) => {
    const which = ["left", "right"][place];
    const menu = element(
      "select",
      { id: `side-${which}`, "aria-label": `Model on the ${which}` },
      ...found.answers.map(({ model }) => element("option", { value: model }, model)),
    );
    menu.value = name;
    menu.addEventListener("change", () => turnTo(which, menu.value));
    return element("div", {}, menu, answerElement(of(name), index, true, found));
  };
  return [element("div", { class: "sides" }, ...models.map(side))];
}

/** Show the whole case: what was asked, two models' answers, what shows the answer, and the other models'. */
function caseElements(pair, found, entry, index, models, turnTo) {
  const about = index.hasForms ? [index.variants[entry.variant], pair.task] : [pair.task];
  const others = found.answers.filter(({ model }) => !models.includes(model));
  return [
    element("p", { class: "note" }, about.map((part) => `${part} · `).join(""), element("a", { href: `#${found.id}` }, found.id)),
    element("h3", { dir: "auto" }, entry.query),
    filing(pair),
    ...change(found),
    element("h4", {}, found.isAnswerable ? "Reference answer" : "What a good answer does"),
    element("p", { class: "text" }, found.target ?? (found.isAnswerable ? pair.target : "It says that the filing shown does not answer the question.")),
    element("h4", {}, models.length === 1 ? "Answer" : models.length === 2 ? "Two answers side by side" : "No answers"),
    ...sideBySide(found, index, models, turnTo),
    found.marks ? element("h4", {}, "In the text") : found.changed ? null : element("h4", {}, found.isAnswerable ? "In the filing" : "Where the original question is answered"),
    found.marks ? markedLines(found) : null,
    ...(found.changed ? [] : pair.passages).map((parts) => element("p", { class: isTyped(parts) ? "passage text typed" : "passage text" }, ...marked(parts))),
    ...pair.tables.map(tableElement),
    ...[...pair.evidence, ...found.evidence].flatMap(([heading, lines]) => [
      element("h4", {}, heading),
      element("ul", {}, ...lines.map((line) => element("li", { class: "text" }, line))),
    ]),
    pair.passages.length || pair.tables.length || found.marks || found.changed ? null : element("p", { class: "note" }, "No sentence of the filing was cited for it."),
    others.length ? element("h4", {}, others.length === 1 ? "The other answer" : `${others.length} other answers`) : null,
    ...others.map((answer) => answerElement(answer, index, false, found)),
    ...games(found, models),
  ].filter((part) => part !== null);
}
