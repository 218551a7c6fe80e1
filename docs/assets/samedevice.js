/* Loaded before the theme's script, whose fetching of the search index it puts off. */
(() => {
  const root = document.documentElement;
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const make = (tag, about) => Object.assign(document.createElement(tag), about);

  /* One device for every output: chosen here, kept for the next page, settable by ?device=cuda. */
  const show = (device) => {
    root.dataset.sd = device;
    all("button[data-sd]").forEach((b) => { b.ariaPressed = (b.dataset.device || b.dataset.sd).split(" ").includes(device); });
  };
  const choose = (button) => {
    const top = button.getBoundingClientRect().top;
    try { localStorage.setItem("sd-device", button.dataset.sd); } catch { /* private mode: not kept */ }
    show(button.dataset.sd);
    scrollBy({ top: button.getBoundingClientRect().top - top, behavior: "instant" });
  };
  const found = new Set(all(".sd-out").flatMap((o) => o.dataset.devices.split(" ")));
  const header = document.querySelector(".md-header__inner");
  if (found.size > 1) {
    const group = make("div", { className: "sd-choice", role: "group", ariaLabel: "Show outputs of" });
    for (const device of ["cpu", "cuda", "mps"].filter((d) => found.has(d))) {
      const at = (pane) => all(".sd-origin", pane)[pane.dataset.device.split(" ").indexOf(device)];
      const origin = all(`.sd-pane[data-device~="${device}"]`).map(at).find((one) => one);
      const button = make("button", { textContent: device.toUpperCase(), title: origin?.textContent ?? "" });
      button.dataset.sd = device;
      group.append(button);
    }
    header.insertBefore(group, header.querySelector(".md-header__option, .md-header__button[for=__search]"));
  }
  addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-sd]");
    if (button) choose(button);
  });
  addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
    if (key !== "d" || ctrlKey || metaKey || altKey || target.matches("input, textarea")) return;
    const buttons = all(".sd-choice button");
    if (buttons.length) choose(buttons[(buttons.findIndex((b) => b.dataset.sd === root.dataset.sd) + 1) % buttons.length]);
  });
  show(root.dataset.sd);

  /* Copy to run: a block after the earlier blocks that it needs, by the rules of copies.py, which says what to write. */
  const QUIET = `import contextlib
import io

# What the block needs of the blocks before it; what they print is not shown.
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
`;
  const numbers = (text = "") => text.match(/\d+/g) || [];
  const code = (block) => block.querySelector("code").textContent.replace(/^\n+|\n+$/g, "");
  const quiet = (index) => {
    const block = document.querySelector(`[data-block="${index}"]`);
    const { keep, raises } = block.dataset;
    const indent = (line, at) => (line && !numbers(keep).includes(`${at + 1}`) ? (raises ? "        " : "    ") + line : line);
    const body = code(block).split("\n").map(indent).join("\n");
    return raises ? `    try:\n${body}\n    except ${raises}:\n        pass` : body;
  };
  const program = (block) => {
    const { about, edit = "0 0 ", needs } = block.dataset;
    const [, start, end, words] = /(\d+) (\d+) (.*)/.exec(edit);
    const earlier = needs ? QUIET + numbers(needs).map(quiet).join("\n\n") + "\n\n" : "";
    const text = code(block);
    const value = words + text.slice(start, end) + ")".repeat(words.split("(").length - 1);
    return `# ${about}\n\n${earlier}${text.slice(0, start)}${value}${text.slice(end)}\n`;
  };
  const toast = make("div", { className: "sd-toast", role: "status" });
  const dialog = make("dialog", { className: "sd-dialog md-typeset", ariaLabel: "The program that was copied" });
  dialog.innerHTML = '<pre tabindex="0"></pre><form method="dialog"><button class="md-button">Close</button></form>';
  document.body.append(toast, dialog);
  let timer;
  const tell = (text, shown) => {
    clearTimeout(timer);
    const onclick = () => { dialog.firstChild.textContent = shown; dialog.showModal(); };
    toast.replaceChildren(text, make("button", { textContent: "Show", onclick }));
    toast.classList.add("sd-on");
    timer = setTimeout(() => toast.classList.remove("sd-on"), 8000);
  };
  const copy = async (block, with_) => {
    const text = program(block);
    try {
      await navigator.clipboard.writeText(text);
      tell(`Copied${with_}.${/ Needs .*|$/.exec(block.dataset.about)}`, text);
    } catch {
      tell("The browser did not let us copy.", text);
    }
  };
  const add = () => {
    for (const nav of all("nav.md-code__nav:not([aria-label])")) {
      nav.ariaLabel = nav.parentElement.id.replace("__code_", "Code block ");
      const block = nav.closest("[data-about]");
      if (!block) continue;
      const count = numbers(block.dataset.needs).length;
      const with_ = ["", " with one earlier block"][count] ?? ` with ${count} earlier blocks`;
      const title = `Copy to run${with_}`;
      nav.prepend(make("button", {
        className: "md-code__button sd-run", title, ariaLabel: title, onclick: () => copy(block, with_),
      }));
    }
  };
  new MutationObserver(add).observe(document.querySelector(".md-content"), { childList: true, subtree: true });

  /* What the theme leaves without a name, or out of reach of the keyboard. */
  for (const [what, ariaLabel] of [[".md-search", "Search"], [".md-path", "Breadcrumbs"]]) {
    all(what).forEach((one) => { one.ariaLabel = ariaLabel; });
  }
  all(".md-nav--secondary .md-nav").forEach((nav) => { nav.ariaLabel += ", on this page"; });
  for (const label of all("label.md-header__button:not([title])")) {
    Object.assign(label, { tabIndex: 0, role: "button", ariaLabel: label.htmlFor === "__search" ? "Open search" : "Open menu" });
  }
  window.onload = window.onresize = () => {
    const scrolls = (one) => one.scrollWidth > one.clientWidth;
    all("pre > code, .md-typeset__scrollwrap").filter(scrolls).forEach((one) => { one.tabIndex = 0; });
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

  /* The search's worker starts with its first message. A pasted message is words, not a query: no operators, no numbers,
     no class, each word as it is; twenty are enough. */
  const words = (text) => text.replace(/^\s*[\w.]*(Error|Warning|Exception):/, "").match(/[a-z_]\w*[a-z_]\w*/gi) || [];
  const Started = window.Worker;
  window.Worker = class extends EventTarget {
    constructor(url) { super(); this.url = url; }
    start() {
      const started = new Started(this.url);
      started.addEventListener("message", ({ data }) => this.dispatchEvent(new MessageEvent("message", { data })));
      return started;
    }
    postMessage(message) {
      if (message.type === 2 && message.data.trim().split(/\s+/).length > 4) {
        message = { ...message, data: [...new Set(words(message.data))].slice(0, 20).join("^1 ") };
      }
      (this.started ??= this.start()).postMessage(message);
    }
  };
  const query = document.querySelector("[data-md-component=search-query]");
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

  /* A filter above a list: whatever follows it and lacks one of the words is hidden. */
  for (const box of all(".sd-filter")) {
    const input = box.querySelector("input");
    const after = (what) => all(what).filter((one) => box.compareDocumentPosition(one) & 4);
    const rows = after("article tbody tr, article dt").map((row) => {
      const parts = row.matches("dt") ? [row, row.nextElementSibling] : [row];
      return { parts, text: parts.map((part) => part.textContent).join(" ").toLowerCase() };
    });
    input.addEventListener("input", () => {
      const asked = input.value.toLowerCase().split(/\s+/).filter((word) => word && !("loose" in input.dataset && /\d/.test(word)));
      let count = 0;
      for (const { parts, text } of rows) {
        const hidden = !asked.every((word) => text.includes(word));
        parts.forEach((part) => { part.hidden = hidden; });
        count += !hidden;
      }
      for (const part of after("article dl")) part.hidden = part.previousElementSibling.hidden = !part.querySelector("dt:not([hidden])");
      box.querySelector("output").textContent = asked.length ? `${count} of ${rows.length}` : "";
    });
  }
})();
