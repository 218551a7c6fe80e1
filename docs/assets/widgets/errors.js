/* The box above the index of errors. */
(() => {
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const make = (tag, about) => Object.assign(document.createElement(tag), about);
  /* A text is in the address of the box that it was put into: as a fragment, which no server sees, when it comes from home.
     A fragment that somebody typed may be no text that is encoded, such as `50%`: it is taken as it is. */
  const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  const given = () => {
    const typed = /^#error=(.*)/.exec(location.hash)?.[1];
    return new URLSearchParams(location.search).get("error") ?? (typed && decoded(typed));
  };
  /* The section that an entry leads to, as it is on its page: the program, its output, the fix. A page of a folder may not
     be fetched; there the link stays. */
  const section = async (href) => {
    const url = new URL(href, location), page = new DOMParser().parseFromString(await (await fetch(url)).text(), "text/html");
    const start = url.hash ? page.getElementById(url.hash.slice(1)) : page.querySelector("article h1");
    const found = make("div", { className: "sd-fix" }), level = Math.max(2, start.tagName[1]);
    const ends = (at) => (/^H[1-6]$/.test(at.tagName) && at.tagName[1] <= level) || (at.matches(".sd-what") && at.textContent === "Related");
    for (let at = start.nextElementSibling; at && !ends(at); at = at.nextElementSibling) {
      if (!at.matches(".sd-row, .sd-foot, hr")) found.append(document.importNode(at, true));
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

  /* What a page says of the reader's own numbers; what is between backticks is code. (Minifiers of old take one in a
     regular expression for the begin of a text, so it has its number here.) */
  const CODE = new RegExp("\x60([^\x60]+)\x60", "g");
  /* Two matrices, with the sizes that should be equal where they meet. Long sides are drawn shorter than they are. */
  const picture = ([[rows, columns], [others, width]]) => {
    const side = (size) => Math.min(96, 18 + 8 * Math.log2(size + 1)), [h, w, k, v] = [rows, columns, others, width].map(side);
    const x = 150 - w, base = 24 + Math.max(h, k), rect = (x, y, w, h) => `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="3"/>`;
    return `<svg style="display: block; width: 100%; max-width: 356px" viewBox="0 0 356 ${base + 34}" role="img" aria-label="A matrix with ${rows} rows and ${columns} columns, and one with ${others} rows and ${width} columns. The ${columns} columns and the ${others} rows should be equal.">
      <g fill="none" stroke="#2f7ed8" stroke-width="2">${rect(x, base - h, w, h)}${rect(206, base - k, v, k)}</g>
      <g stroke="#d9822b" stroke-width="4"><path d="M${x} ${base - h}h${w}"/><path d="M206 ${base - k}v${k}"/></g>
      <g font-size="13" fill="currentColor" text-anchor="middle"><text x="${x + w / 2}" y="${base - h - 8}">${columns}</text><text x="${x - 8}" y="${base - h / 2 + 4}" text-anchor="end">${rows}</text>
        <text x="198" y="${base - k / 2 + 4}" text-anchor="end">${others}</text><text x="${206 + v / 2}" y="${base - k - 8}">${width}</text><text x="178" y="${base + 24}">${columns} ≠ ${others}</text></g></svg>`;
  };
  const numbers = (says, shapes) => {
    const text = says.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(CODE, "<code>$1</code>");
    return make("div", { className: "admonition tip sd-yours", innerHTML: `<p class="admonition-title">With your numbers</p><p>${text}</p>${shapes ? picture(shapes) : ""}` });
  };

  /* The box above the index of errors: of what is pasted the best entries, the first with its section below it. */
  const mount = (form) => {
    const { Search, note } = sdWidgets.shared;
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
      const { at, says, shapes } = items[0], [page, id] = at?.split("#") ?? [];
      if (at) link.href = link.href.replace(/#.*/, "").replace(/errors\/[\w-]+/, page) + (id ? `#${id}` : "");
      const yours = says ? [numbers(says, shapes)] : [];
      const told = best.querySelector("dd").textContent;
      best.querySelector("dd").prepend(...yours);
      const found = location.protocol !== "file:" && await section(link.href).catch(() => null);
      if (!found?.childElementCount || now !== turn) return;
      const about = best.querySelector("dd"), name = /^\w*(?:Error|Warning|Exception)(?: or \w+)*\./.exec(told)?.[0];
      about.replaceChildren(...(name ? [make("strong", { textContent: name })] : []), ...yours, found);
      sd.show();
    };
    search.addEventListener("message", ({ data }) => { if (data.type === 3) shown(data.data, box.value); });
    /* Its index is made while the reader looks for what to paste. */
    const begin = () => {
      if (!search.started) search.postMessage({ type: 0, data: { flat: true, docs: [...rows].map(([location, row]) => ({
        location, fits: fits[location.slice(1)], title: row.querySelector("code") ? row.querySelector("code").outerHTML : row.innerHTML, text: row.nextElementSibling.innerHTML,
      })) } });
    };
    (window.requestIdleCallback ?? setTimeout)(begin);
    const filter = () => {
      const text = box.value.trim();
      form.parentElement.toggleAttribute("data-asked", !!text);
      if (!text) return turn++, best.replaceChildren(), output.textContent = "", note("error");
      begin();
      search.postMessage({ type: 2, data: text });
    };
    box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(filter, 120); });
    form.addEventListener("submit", (event) => { event.preventDefault(); filter(); });
    addEventListener("click", ({ target }) => {
      if (box.value && target.closest('a[href^="#"]:not(.md-skip)') && !best.contains(target)) box.value = "", filter();
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
  };
  (globalThis.sdWidgets ??= {}).errors = { mount };
})();
