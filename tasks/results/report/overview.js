// The filters of the overview; what is chosen is in the address.
document.documentElement.classList.add("scripted");
const chosen = new URLSearchParams(location.hash.slice(1));
const selects = [...document.querySelectorAll("#filters select")];
const show = () => {
  const wanted = Object.fromEntries(selects.map((select) => [select.id, select.value]));
  for (const board of document.querySelectorAll("[data-release]")) {
    board.hidden = Boolean(wanted.release) && board.dataset.release !== wanted.release;
  }
  for (const entry of document.querySelectorAll("[data-judge]")) {
    entry.hidden = Boolean(wanted.judge) && entry.dataset.judge !== wanted.judge;
  }
  history.replaceState(null, "", `#${new URLSearchParams(Object.entries(wanted).filter(([, value]) => value))}`);
};
for (const select of selects) {
  if ([...select.options].some((option) => option.value === chosen.get(select.id))) select.value = chosen.get(select.id);
  select.addEventListener("change", show);
}
if (chosen.has("release") || chosen.has("judge")) show();
