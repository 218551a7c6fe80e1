/* Loaded before the theme's script. */
(() => {
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const make = (tag, about) => Object.assign(document.createElement(tag), about);

  /* What the theme leaves without a name, or out of reach of the keyboard. Of a term the first place is a tab stop. */
  const terms = {};
  for (const term of all("article abbr")) if (!term.closest("a")) term.tabIndex = terms[term.title] ? -1 : 0, terms[term.title] = 1;
  for (const [what, ariaLabel] of [[".md-search", "Search"], [".md-path", "Breadcrumbs"]]) {
    all(what).forEach((one) => { one.ariaLabel = ariaLabel; });
  }
  /* By keyboard the content comes before its table of contents, and each section of the menu is one stop: its page lists the others. */
  document.querySelector(".md-content")?.after(...all(".md-sidebar--secondary"));
  if (matchMedia("(width >= 76.25em)").matches) for (const label of all(".md-nav__container > label")) label.tabIndex = -1;
  all(".md-nav--secondary .md-nav").forEach((nav) => { nav.ariaLabel += ", on this page"; });
  for (const part of all(".md-nav__container")) part.previousElementSibling.ariaLabel = `Pages of ${part.textContent.trim()}`;
  /* What opens the menu and the search is a label, out of the keyboard's reach, and may not be called a button. Its style asks for `for`. */
  for (const label of all("label.md-header__button:not([title])")) {
    const { className, innerHTML, control } = label, ariaLabel = control.id === "__search" ? "Open search" : "Open menu";
    const button = make("button", { className, innerHTML, ariaLabel, onclick: () => control.click() });
    button.setAttribute("for", control.id);
    label.replaceWith(button);
    addEventListener("keydown", ({ key }) => { if (key === "Escape" && control.checked && button.checkVisibility()) control.click(), button.focus(); });
  }
  /* To know whether code scrolls, the browser lays it out. Ask for one at a time, so that no task is long. */
  let width;
  window.onload = window.onresize = () => {
    if (query) query.tabIndex = matchMedia("(width < 60em)").matches ? -1 : 0;  /* the focus opens it, over the page */
    for (const one of width !== (width = innerWidth) ? all("pre > code, .md-typeset__scrollwrap, .sd-figure") : []) {
      setTimeout(() => { if (one.scrollWidth > one.clientWidth) one.tabIndex = 0; });
    }
  };

  /* The search's index is larger than all the rest: it is fetched when somebody searches. */
  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, url) {
    this.later = /search_index\.json$/.test(url) && !/[?&][hq]=/.test(location.search);
    open.apply(this, arguments);
  };
  XMLHttpRequest.prototype.send = function () {
    if (!this.later) return send.apply(this, arguments);
    addEventListener("focusin", ({ target }) => {
      if (this.later && target.name === "query") { this.later = false; this.send(); }
    });
  };

  /* The search's worker is ours, search.js, and starts with its first message. Zensical has its own. */
  const Started = window.Worker, query = document.querySelector("[data-md-component=search-query]");
  const own = new URL("search.js", document.currentScript.src);
  class Search extends EventTarget {
    start() {
      const started = new Started(own);
      started.addEventListener("message", ({ data }) => this.dispatchEvent(new MessageEvent("message", { data })));
      return started;
    }
    postMessage(message) { (this.started ??= this.start()).postMessage(message); }
  }
  if (query) {
    window.Worker = Search;
    query.addEventListener("input", () => query.dispatchEvent(new Event("keyup")));
  }

  /* A choice is in the address. */
  const note = (key, value) => {
    const url = new URL(location);
    if (value) url.searchParams.set(key, value);
    else url.searchParams.delete(key);
    if (/^#error=/.test(url.hash)) url.hash = "";
    history.replaceState(history.state, "", url);
  };
  /* A text of the box at home goes to the index of errors as a fragment, which no server sees. */
  for (const form of all("form.sd-find:not([data-entries])")) {
    form.addEventListener("submit", (event) => {
      const text = form.querySelector("textarea")?.value;
      if (!text) return;
      event.preventDefault();
      location.href = `${form.action}#error=${encodeURIComponent(text)}`;
    });
  }

  /* An address of a message or a section from when it was on this page: a link with its id leads to its place now. */
  const old = document.getElementById(location.hash.slice(1));
  if (old?.matches("article a[href]")) location.replace(old.href);

  /* Things to play with: each place names its script, which is loaded on that page alone; so do solutions. */
  const play = (name, places) => {
    if (!places.length) return;
    const at = (file) => new URL(`widgets/${file}`, own).href;
    if (name !== "errors") document.head.append(make("link", { rel: "stylesheet", href: at("widgets.css") }));
    document.head.append(make("script", { src: at(`${name}.js`), onload: () => places.forEach((place) => window.sdWidgets[name].mount(place)) }));
  };
  (globalThis.sdWidgets ??= {}).shared = { Search, note };
  play("errors", all("form.sd-find[data-entries]"));
  all("[data-widget]").forEach((place) => play(place.dataset.widget, [place]));
  const printed = (solution) => all(".sd-out", solution).some((out) => out.querySelector(".sd-pane")?.querySelector(".sd-text"));
  play("exercises", all("details.success").filter(printed));

  /* The lessons that were read to their end; this browser alone keeps them. */
  const lesson = document.querySelector(".sd-place[data-lesson]")?.dataset.lesson, tiles = all(".sd-tiles a");
  const read = () => { try { return JSON.parse(localStorage.getItem("sd-lessons")) ?? []; } catch { return []; } };
  if (lesson) new IntersectionObserver(([{ isIntersecting }]) => {
    if (isIntersecting) try { localStorage.setItem("sd-lessons", JSON.stringify([...new Set([...read(), lesson])])); } catch {}
  }).observe(document.querySelector(".md-footer"));
  const done = tiles.filter(({ dataset }) => read().includes(dataset.lesson));
  for (const tile of done) tile.className = "sd-done", tile.append(make("i", { textContent: "read" }));
  for (const step of all("a.sd-step")) step.classList.toggle("sd-done", read().some((one) => step.pathname.endsWith(`/${one}`)));
  if (done.length) document.querySelector(".sd-progress").textContent = `You have read ${done.length} of ${tiles.length}; this browser alone knows.`;

  /* All code of the page, as one script that runs by itself. Of a folder nothing can be fetched: there the link shows it. */
  const folder = location.protocol === "file:";
  if (!folder) all("a[data-copy]").forEach((link) => {
    link.textContent = "Copy";
    link.title = "Copy all code of this page as one script";
    link.onclick = async (event) => {
      event.preventDefault();
      try {
        const text = await (await fetch(link.href)).text();
        await navigator.clipboard.writeText(text);
        sd.tell("Copied all code of this page, as one script.", text);
      } catch { link.onclick = null, link.click(); }
    };
  });

  /* From a folder a browser downloads nothing: it would show a notebook as text. Say where the file is. */
  if (folder) for (const link of all("a[download]:not([data-copy])")) link.onclick = (event) => {
    const path = decodeURI(link.pathname);
    event.preventDefault();
    sd.tell(`${path.split("/").pop()} is in the folder of this page.`, path);
  };

  /* A filter above a table hides the rows that lack a word, and is in the address. */
  for (const box of all(".sd-filter")) {
    const input = box.querySelector("input"), output = box.querySelector("output");
    const rows = all("article tbody tr").filter((row) => box.compareDocumentPosition(row) & 4);
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const filter = () => {
      const asked = input.value.trim().toLowerCase().split(/\s+/);
      rows.forEach((row, at) => { row.hidden = !asked.every((word) => texts[at].includes(word)); });
      const left = rows.filter((row) => !row.hidden).length;
      output.textContent = !asked[0] ? "" : left ? `${left} of ${rows.length}` : "Nothing has these words. Try the search.";
    };
    input.addEventListener("input", () => { filter(); note("filter", input.value.trim()); });
    input.value = new URLSearchParams(location.search).get("filter") ?? input.value;
    if (input.value) filter();
  }
})();
