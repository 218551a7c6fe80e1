/* While a site is served: keeps the mark of a page up to date until this machine has checked the page. */
{
  const mark = document.querySelector(".sd-checked");
  const ask = async () => {
    /* The server measures the file and then opens it, so what it sends of a file that is replaced meanwhile is cut off. */
    const states = await fetch(mark.dataset.states).then((answer) => answer.ok && answer.json()).catch(() => null);
    if (states) mark.textContent = states[mark.dataset.page];
    if (!mark.textContent.startsWith("Checked")) setTimeout(ask, 2000);
  };
  ask();
}
