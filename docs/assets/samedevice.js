/* Loaded before the theme's script, whose fetching of the search index it puts off. */
(() => {
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const make = (tag, about) => Object.assign(document.createElement(tag), about);

  /* What the theme leaves without a name, or out of reach of the keyboard. Of a term the first place is a tab stop. */
  const terms = {};
  for (const term of all("article abbr")) term.tabIndex = terms[term.title] ? -1 : 0, terms[term.title] = 1;
  for (const [what, ariaLabel] of [[".md-search", "Search"], [".md-path", "Breadcrumbs"]]) {
    all(what).forEach((one) => { one.ariaLabel = ariaLabel; });
  }
  all(".md-nav--secondary .md-nav").forEach((nav) => { nav.ariaLabel += ", on this page"; });
  for (const label of all("label.md-header__button:not([title])")) {
    Object.assign(label, { tabIndex: 0, role: "button", ariaLabel: label.htmlFor === "__search" ? "Open search" : "Open menu" });
  }
  /* To know whether a piece of code scrolls, the browser lays it out. Ask for one at a time, so that no task is long. */
  let width;
  window.onload = window.onresize = () => {
    for (const one of width !== (width = innerWidth) ? all("pre > code, .md-typeset__scrollwrap") : []) {
      setTimeout(() => { if (one.scrollWidth > one.clientWidth) one.tabIndex = 0; });
    }
  };

  /* The search's index is larger than all the rest: it is fetched when somebody searches, or came from a search. */
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

  /* A pasted message, of a traceback the last one, is words and not a query: no class, no colors, no numbers. */
  const message = (text) => {
    const plain = text.replace(/\x1b\[[\d;]*m/g, "");
    const said = plain.replace(/^.*\b\w*(Error|Warning|Exception):/s, "");
    return /[a-z]{2}/i.test(said) ? said : plain;
  };
  const words = (text) => [...new Set(message(text).match(/[a-z_]\w*[a-z_]\w*/gi) ?? [])];

  /* The search's worker starts with its first message. Twenty words of a pasted message are enough for it; few words
     are whole ones, and the last may be a beginning. What finds nothing is asked for once more, with a letter more or
     less in each word. Zensical has a search of its own. */
  const Started = window.Worker, query = document.querySelector("[data-md-component=search-query]");
  if (query) {
    window.Worker = class extends EventTarget {
      constructor(url) { super(); this.url = url; }
      start() {
        const started = new Started(this.url);
        started.addEventListener("message", ({ data }) => {
          const none = data.type === 3 && !data.data.items.length && this.asked;
          if (none) started.postMessage({ type: 2, data: words(none).map((word) => `${word}~1`).join(" ") });
          else this.dispatchEvent(new MessageEvent("message", { data }));
          if (data.type === 3) this.asked = "";
        });
        return started;
      }
      postMessage(message) {
        if (message.type === 2) {
          const text = this.asked = message.data, few = text.trim().split(/\s+/);
          const typed = /^[\w\s]+$/.test(text) ? `${few.join("^9 ")}^9 ${few.at(-1)}` : text;
          message = { type: 2, data: few[4] ? words(text).slice(0, 20).join("^1 ") : typed };
        }
        (this.started ??= this.start()).postMessage(message);
      }
    };
    query.addEventListener("input", () => query.dispatchEvent(new Event("keyup")));

    /* Each page that is found shows its best section, also where its own title fits better. */
    const list = document.querySelector(".md-search-result__list");
    new MutationObserver(() => {
      for (const more of all("li > a:first-child + details", list)) {
        const count = more.querySelector("summary div");
        count.textContent = count.textContent.replace(/\d+/, (number) => number - 1);
        more.before(more.querySelector("a"));
        if (!more.querySelector("a")) more.remove();
      }
    }).observe(list, { childList: true });
  }

  /* A filter above a list. What follows it and lacks one of the words is hidden; of messages those that share most of
     the words come first. A word that no message has counts as the one that is most like it. */
  const grams = (word) => new Set([...word].map((_, at) => ` ${word} `.slice(at, at + 3)));
  const alike = (one, other) => [...one].filter((gram) => other.has(gram)).length * 2 / (one.size + other.size);
  const ranked = (rows) => {
    const has = rows.map(({ parts }) => parts.map((part) => new Set(words(part.textContent.toLowerCase()))));
    const counts = new Map();
    for (const of of has) for (const word of new Set(of.flatMap((part) => [...part]))) counts.set(word, (counts.get(word) ?? 0) + 1);
    const known = [...counts.keys()].map((word) => [word, grams(word)]);
    const rare = (word) => Math.log(1 + rows.length / counts.get(word));
    const sum = (of) => [...of].reduce((all, word) => all + rare(word), 0);
    const meant = (word) => {
      if (counts.has(word)) return word;
      const own = grams(word);
      const [best, found] = known.reduce((top, [other, theirs]) => (alike(own, theirs) > top[0] ? [alike(own, theirs), other] : top), [.5]);
      return found;
    };
    return (text) => {
      const asked = [...new Set(words(text.toLowerCase()).map(meant))].filter(Boolean);
      const scores = has.map(([title, rest]) => {
        const both = asked.filter((word) => title.has(word));
        const score = sum(both) + sum(asked.filter((word) => !title.has(word) && rest.has(word))) / 4;
        return asked.length && score / sum(asked) + sum(both) / (1 + sum(title)) / 2;
      });
      const enough = Math.max(.3, .6 * Math.max(...scores));
      return rows.map((row, at) => [scores[at], row]).filter(([score]) => score >= enough).sort((a, b) => b[0] - a[0]).slice(0, 10).map(([, row]) => row);
    };
  };
  for (const box of all(".sd-filter")) {
    const input = box.querySelector("input"), output = box.querySelector("output");
    const rows = all("article tbody tr, article dt").filter((one) => box.compareDocumentPosition(one) & 4).map((row) => {
      const parts = row.matches("dt") ? [row, row.nextElementSibling] : [row];
      return { parts, text: parts.map((part) => part.textContent).join(" ").toLowerCase() };
    });
    const rank = "loose" in input.dataset && ranked(rows);
    const best = make("dl", { className: "sd-best" });
    box.after(best);
    const filter = () => {
      const text = input.value.trim(), asked = text.toLowerCase().split(/\s+/);
      const left = !text ? rows : rank ? rank(text) : rows.filter((row) => asked.every((word) => row.text.includes(word)));
      if (rank) {
        box.parentElement.toggleAttribute("data-asked", !!text);
        best.replaceChildren(...(text ? left.flatMap(({ parts }) => parts.map((part) => part.cloneNode(true))) : []));
        all("[id]", best).concat([...best.children]).forEach((one) => one.removeAttribute("id"));
      } else for (const row of rows) row.parts[0].hidden = !left.includes(row);
      output.textContent = !text ? "" : left.length ? `${left.length} of ${rows.length}` : "Nothing has these words. Try the search.";
    };
    input.addEventListener("input", filter);
    input.value = new URLSearchParams(location.search).get("error") ?? input.value;
    if (input.value) filter();
  }
})();
