/* Loaded before the theme's script. */
(() => {
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const make = (tag, about) => Object.assign(document.createElement(tag), about);

  /* What the theme leaves without a name, or out of reach of the keyboard. Of a term the first place is a tab stop. */
  const terms = {};
  for (const term of all("article abbr")) if (!term.closest("a")) term.tabIndex = terms[term.title] ? -1 : 0, terms[term.title] = 1;
  for (const [what, ariaLabel] of [[".md-search", "Search"], [".md-path", "Breadcrumbs"]]) {
    all(what).forEach((one) => { one.ariaLabel = ariaLabel; });
  }
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

  /* A text is in the address of the box that it was put into: as a fragment, which no server sees, when it comes from home.
     A fragment that somebody typed may be no text that is encoded, such as `50%`: it is taken as it is. */
  const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  const given = () => {
    const typed = /^#error=(.*)/.exec(location.hash)?.[1];
    return new URLSearchParams(location.search).get("error") ?? (typed && decoded(typed));
  };
  const note = (key, value) => {
    const url = new URL(location);
    if (value) url.searchParams.set(key, value);
    else url.searchParams.delete(key);
    if (/^#error=/.test(url.hash)) url.hash = "";
    history.replaceState(history.state, "", url);
  };
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

  /* The section that an entry leads to, as it is on its page: the program, its output, the fix. A page of a folder may not
     be fetched; there the link stays. */
  const section = async (href) => {
    const url = new URL(href, location), page = new DOMParser().parseFromString(await (await fetch(url)).text(), "text/html");
    const start = url.hash ? page.getElementById(url.hash.slice(1)) : page.querySelector("article h1");
    const found = make("div", { className: "sd-fix" }), level = Math.max(2, start.tagName[1]);
    for (let at = start.nextElementSibling; at && !(/^H[1-6]$/.test(at.tagName) && at.tagName[1] <= level); at = at.nextElementSibling) {
      if (!at.matches(".sd-ran, .sd-bar, .sd-foot, hr")) found.append(document.importNode(at, true));
    }
    for (const one of all("[id]", found)) one.removeAttribute("id");
    for (const one of all("[href]", found)) one.setAttribute("href", new URL(one.getAttribute("href"), url));
    all(".headerlink", found).forEach((one) => one.remove());
    /* The theme makes buttons for the code that is on a page when it is loaded, and here there is none. */
    all("pre > code", found).forEach((one, at) => {
      one.parentElement.id = `__code_${at}`;
      one.before(make("nav", { className: "md-code__nav", innerHTML:
        `<button class="md-code__button" data-md-type="copy" title="Copy this block alone" data-clipboard-target="#__code_${at} > code">` }));
      one.tabIndex = 0;
    });
    return found;
  };

  /* The box above the index of errors: of what is pasted the best entries, the first with its section below it. */
  for (const form of all("form.sd-find[data-entries]")) {
    const box = form.querySelector("textarea"), output = form.querySelector("output"), best = make("dl", { className: "sd-best" });
    const fits = JSON.parse(document.getElementById("sd-fits")?.textContent ?? "{}");
    const rows = new Map(all("article dt[id]").map((row) => [`#${row.id}`, row])), search = new Search();
    let turn = 0, timer;
    form.after(best);
    const entry = (row) => {
      const found = [row, row.nextElementSibling].map((part) => part.cloneNode(true));
      for (const part of found) [part, ...all("[id]", part)].forEach((one) => one.removeAttribute("id"));
      return found;
    };
    const shown = async ({ items, errors }, text) => {
      const now = ++turn, weak = items.length && items[0].weak;
      best.replaceChildren(...items.flatMap(({ location }) => entry(rows.get(location))));
      const said = errors.map(({ name, text }) => [name, text].filter(Boolean).join(": "));
      output.textContent = !items.length ? "Nothing here has these words. Try the search of the whole site." :
        (weak ? "No message here is close to yours. These share words with it." : errors.length > 1 ? `Found ${errors.length} errors in it.` : "");
      note("error", said[0]?.slice(0, 300));
      const link = best.querySelector("dt a[href]");
      if (!link || weak) return;
      const { at, says } = items[0], [page, id] = at?.split("#") ?? [];
      if (at) link.href = link.href.replace(/#.*/, "").replace(/errors\/[\w-]+/, page) + (id ? `#${id}` : "");
      /* A backtick by its number: what minifies this file takes one in a pattern for the end of a text. */
      const numbers = says && escaped(says).replace(/\x60([^\x60]+)\x60/g, "<code>$1</code>");
      const yours = says ? [make("div", { className: "admonition tip sd-yours", innerHTML: `<p class="admonition-title">With your numbers</p><p>${numbers}</p>` })] : [];
      const told = best.querySelector("dd").textContent;
      best.querySelector("dd").prepend(...yours);
      const found = await section(link.href).catch(() => null);
      if (!found?.childElementCount || now !== turn) return;
      const about = best.querySelector("dd"), name = /^\w*(?:Error|Warning|Exception)(?: or \w+)*\./.exec(told)?.[0];
      about.replaceChildren(...(name ? [make("strong", { textContent: name })] : []), ...yours, found);
      sd.show();
    };
    search.addEventListener("message", ({ data }) => { if (data.type === 3) shown(data.data, box.value); });
    const filter = () => {
      const text = box.value.trim();
      form.parentElement.toggleAttribute("data-asked", !!text);
      if (!text) return turn++, best.replaceChildren(), output.textContent = "", note("error");
      if (!search.started) search.postMessage({ type: 0, data: { flat: true, docs: [...rows].map(([location, row]) => ({
        location, fits: fits[location.slice(1)], title: row.querySelector("code") ? row.querySelector("code").outerHTML : row.innerHTML, text: row.nextElementSibling.innerHTML,
      })) } });
      search.postMessage({ type: 2, data: text });
    };
    box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(filter, 120); });
    form.addEventListener("submit", (event) => { event.preventDefault(); filter(); });
    addEventListener("click", ({ target }) => {
      if (box.value && target.closest('a[href^="#"]') && !best.contains(target)) box.value = "", filter();
    });
    /* Heights out of sight are guesses: go to a letter until it stays. */
    const letter = () => {
      const to = document.querySelector("h2[id^=messages-]:target");
      for (let frame = 0; to && frame < 9; frame++) setTimeout(() => to.scrollIntoView(), frame * 16);
    };
    addEventListener("hashchange", letter);
    addEventListener("load", letter);
    const text = given();
    if (text) box.value = text, filter();
  }

  /* Things to play with: each place names its script, which is loaded on that page alone; so do solutions. */
  const play = (name, places) => {
    if (!places.length) return;
    const at = (file) => new URL(`widgets/${file}`, own).href;
    document.head.append(make("link", { rel: "stylesheet", href: at("widgets.css") }),
      make("script", { src: at(`${name}.js`), onload: () => places.forEach((place) => window.sdWidgets[name].mount(place)) }));
  };
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
  if (done.length) document.querySelector(".sd-progress").textContent = `You have read ${done.length} of ${tiles.length}; this browser alone knows.`;

  /* All code of the page, as one script that runs by itself. Of a folder nothing can be fetched: there the link loads it. */
  all("a[data-copy]").forEach((link) => {
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
