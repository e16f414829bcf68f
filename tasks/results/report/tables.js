// Sorting and filtering of tables by DataTables. Without scripts, tables stay as rendered.

document.documentElement.classList.add("scripted");

const LABELS = {
  search: "",
  zeroRecords: "No row matches.",
  info: "_START_ to _END_ of _TOTAL_",
  infoEmpty: "",
  infoFiltered: "",
};

/** Make a table sortable, with the options in its data attributes. */
function makeSortable(table) {
  const { search, pageLength, sortColumn, sortOrder } = table.dataset;
  return new DataTable(table, {
    autoWidth: false,
    order: sortColumn ? [[Number(sortColumn), sortOrder]] : [],
    orderDescReverse: false,
    paging: Boolean(pageLength),
    pageLength: Number(pageLength ?? 10),
    lengthChange: false,
    info: Boolean(pageLength),
    searching: true,
    layout: {
      topStart: search ? { search: { placeholder: search } } : null,
      topEnd: null,
      bottomStart: pageLength ? "info" : null,
      bottomEnd: pageLength ? "paging" : null,
    },
    language: LABELS,
  });
}

/** Add a menu of one column's values beside the table's search field. */
function addChoice(table, made) {
  const column = made.column(Number(table.dataset.filterColumn));
  const select = element("select", { "aria-label": column.header().textContent.trim() });
  select.append(element("option", { value: "" }, "all"));
  for (const value of new Set(column.data().toArray())) {
    select.append(element("option", { value }, value));
  }
  const choose = () => column.search(select.value, { exact: true }).draw();
  select.addEventListener("change", choose);
  select.value = table.dataset.filterFirst;
  made.table().container().querySelector(".dt-search").append(select);
  choose();
}

/** Print all rows of a table, then restore the reader's view. */
function printWhole(made) {
  let restore = () => {};
  addEventListener("beforeprint", () => {
    const [length, page, text] = [made.page.len(), made.page(), made.search()];
    const choices = made.columns().indexes().toArray().map((column) => made.column(column).search());
    restore = () => {
      choices.forEach((choice, column) => made.column(column).search(choice, { exact: Boolean(choice) }));
      made.search(text).page.len(length).page(page).draw("page");
    };
    made.search("").columns().search("").page.len(-1).draw();
  });
  addEventListener("afterprint", () => restore());
}

/** Open what is folded for print, and fold it again. */
function printFolds() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details.fold:not([open])")];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => opened.forEach((fold) => { fold.open = false; }));
}

/** Make all tables of the page sortable. */
function startTables() {
  printFolds();
  for (const table of document.querySelectorAll("table.sortable")) {
    const made = makeSortable(table);
    const field = made.table().container().querySelector(".dt-search input");
    field?.setAttribute("aria-label", table.dataset.search);
    const pages = made.table().container().querySelector(".dt-paging nav");
    pages?.setAttribute("aria-label", `Pages of: ${table.caption.textContent}`);
    if (table.dataset.filterColumn) addChoice(table, made);
    printWhole(made);
    if (table.id === "leaderboard-table") {
      const showPublished = byId("show-published");
      made.search.fixed("published", (_text, _row, index) =>
        (showPublished?.checked ?? false) || !made.row(index).node().classList.contains("published"));
      showPublished?.addEventListener("change", () => made.draw());
      made.draw();
      const showMetrics = byId("show-metrics");
      const more = made.columns(".more");
      if (showMetrics) more.visible(false);
      showMetrics?.addEventListener("change", () => more.visible(showMetrics.checked));
    }
  }
}
