// One case: the question, the filing's passages, and each model's answer.

const TAGS = { removed: "del", added: "ins", quoted: "mark" };

/** Make elements of pieces of text: kept, removed, added, quoted or left out. */
function marked(pieces) {
  return pieces.map(([kind, text]) => {
    if (kind === "left_out") return element("span", { class: "left-out" }, " … left out … ");
    return kind in TAGS ? element(TAGS[kind], {}, text) : text;
  });
}

const EDGAR = "https://www.sec.gov/";

/** Mark the central part of a text. */
function centred(text, centre) {
  const [before, ...after] = centre ? text.split(centre) : [text];
  return after.length ? [before, element("mark", {}, centre), after.join(centre)] : [before];
}

function filing(pair) {
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
  const whole = element("p", { class: "text", dir: "auto" }, text);
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
function gameElement([place, otherPlace, [first, second]], index) {
  const [name, other] = [place, otherPlace].map((each) => index.models[each].name);
  const [said, turned] = [first[0], OPPOSITE[second[0]]];
  const outcome = said && turned ? (said === turned ? said : "tie") : "not judged";
  const order = (shown, [label, reason, rationale]) =>
    element("p", { class: "rationale text" }, `${shown} shown first: ${label ?? `not judged: ${reason}`}. ${rationale ?? ""}`);
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

/** Show the comparisons of the chosen model, or all. */
function games({ id, games: all = [], nOtherGames = 0 }, index, chosenModel) {
  const shown = all.filter(([place, other]) => chosenModel === null || place === chosenModel || other === chosenModel);
  return [
    shown.length ? element("h4", {}, shown.length === 1 ? "Comparison" : `${shown.length} comparisons`) : null,
    ...shown.map((game) => gameElement(game, index)),
    nOtherGames ? element("p", { class: "note" }, `${nOtherGames} more of other models: tenkbench explain ${id}`) : null,
  ];
}

function answerElement([place, letter, reason, text, rationale, finish, latency, read], index, isChosen) {
  const verdict = index.verdicts[letter];
  const model = index.models[place];
  const seconds = latency === null ? null : element("span", { class: "note" }, `${(latency / 1000).toFixed(1)} s`);
  return element(
    "section",
    { class: isChosen ? "answer chosen" : "answer" },
    element(
      "header",
      {},
      element("span", { class: "name" }, model.name),
      model.isBaseline ? element("span", { class: "tag" }, "baseline") : null,
      element("span", { class: verdict?.isGood ? "rating good" : "rating" }, verdict?.full ?? (reason ? `not judged: ${reason}` : "")),
      finish === "length" ? element("span", { class: "note" }, "cut off at its longest") : null,
      seconds,
    ),
    ...answerTexts(text, read),
    rationale ? element("p", { class: "rationale text" }, `${index.judge}: ${rationale}`) : null,
  );
}

/** Show how a case differs from its pair. */
function change(found) {
  const parts = [];
  if (found.query) {
    parts.push(element("h4", {}, "Changed from the question as it was written"), element("p", { class: "text" }, ...marked(found.query)));
  }
  if (!found.hasContext) parts.push(element("p", { class: "note" }, "The model was shown no filing at all."));
  if (!found.isAnswerable && found.hasContext) {
    parts.push(element("p", { class: "note" }, "The question was written for another filing: the one shown does not answer it."));
  }
  if (found.copy?.length) {
    parts.push(element("h4", {}, "The sentences as the changed text has them"));
    for (const pieces of found.copy) parts.push(element("p", { class: "passage text" }, ...marked(pieces)));
  } else if (found.copy) {
    parts.push(element("p", { class: "note" }, "The changed text is too damaged here to find the sentences in it."));
  }
  return parts;
}

/** Show the whole case, the chosen model's answer first. */
function caseElements(pair, found, entry, index, chosenModel) {
  const about = index.hasForms ? [index.variants[entry.variant], pair.task] : pair.slices;
  const answers = [...found.answers].sort((a, b) => (b[0] === chosenModel) - (a[0] === chosenModel) || a[0] - b[0]);
  return [
    element("p", { class: "note" }, about.map((part) => `${part} · `).join(""), element("a", { href: `#${found.id}` }, found.id)),
    element("h3", { dir: "auto" }, ...centred(entry.query, index.centre)),
    filing(pair),
    ...change(found),
    element("h4", {}, found.isAnswerable ? "Reference answer" : "What a good answer does"),
    element("p", { class: "text" }, found.isAnswerable ? pair.target : "It says that the filing shown does not answer the question."),
    element("h4", {}, found.isAnswerable ? "In the filing" : "Where the original question is answered"),
    ...pair.passages.map((parts) => element("p", { class: "passage text" }, ...marked(parts))),
    ...(pair.tables ?? []).map(tableElement),
    ...pair.evidence.flatMap(([heading, lines]) => [
      element("h4", {}, heading),
      element("ul", {}, ...lines.map((line) => element("li", { class: "text" }, line))),
    ]),
    pair.passages.length || pair.tables ? null : element("p", { class: "note" }, "No sentence of the filing was cited for it."),
    element("h4", {}, answers.length === 1 ? "Answer" : `${answers.length} answers`),
    ...answers.map((answer) => answerElement(answer, index, answer[0] === chosenModel)),
    ...games(found, index, chosenModel),
  ].filter((part) => part !== null);
}
