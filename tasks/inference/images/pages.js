// Fit each table to the width, and return the heights at which the page is cut: 0 first, the end
// last. If a table's text would be smaller than 6 px, return its first words instead.
(width, height) => {
  const SMALLEST = 6, SMALL = 8;
  const body = document.body;
  const room = width - 2 * parseFloat(getComputedStyle(body).paddingLeft);
  for (const table of document.querySelectorAll("table")) {
    let size = parseFloat(getComputedStyle(table).fontSize);
    while (table.offsetWidth > room) {
      // smaller text first; below that, words break
      if (size > SMALL) size -= 1;
      else if (!table.classList.contains("breaks")) table.classList.add("breaks");
      else if (size > SMALLEST) size -= 0.5;
      else return table.innerText.slice(0, 60).replace(/\s+/g, " ");
      table.style.fontSize = size + "px";
    }
  }
  const low = [], tall = [], lines = []; // boxes of cells of one row, of several rows, of text
  let end = 1;
  for (const cell of document.querySelectorAll("td, th")) {
    const box = cell.getBoundingClientRect();
    end = Math.max(end, Math.ceil(box.bottom) + 1); // with its border
    if (box.height > height) continue; // it cannot be on one page
    (cell.rowSpan === 1 ? low : tall).push(box);
  }
  const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    range.selectNodeContents(texts.currentNode);
    lines.push(...range.getClientRects());
  }
  for (const line of lines) end = Math.max(end, Math.ceil(line.bottom));
  // The last height up to `most` at which none of these boxes is cut.
  const cutAbove = (most, least, kept) => {
    let cut = most, before;
    do {
      before = cut;
      for (const box of kept)
        if (box.top < cut - 0.5 && box.bottom > cut + 0.5) cut = Math.floor(box.top);
    } while (cut < before && cut > least);
    return cut;
  };
  const cuts = [0];
  while (end - cuts.at(-1) > height) {
    const top = cuts.at(-1);
    let cut = cutAbove(top + height, top, [...lines, ...low, ...tall]);
    // tall cells may overlap from page to page
    if (cut <= top) cut = cutAbove(top + height, top, [...lines, ...low]);
    cuts.push(cut > top ? cut : top + height);
  }
  return [...cuts, end];
}
