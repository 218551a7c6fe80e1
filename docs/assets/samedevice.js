/* Loaded before the theme's script, whose fetching of the search index it puts off. */
(() => {
  const root = document.documentElement;
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const make = (tag, about) => Object.assign(document.createElement(tag), about);

  /* One device and one version of PyTorch for every output: chosen here, kept, settable by ?device=cuda&torch=2.13. */
  const show = () => {
    const { device, torch } = sd.choice;
    all("button[data-sd]").forEach((b) => { b.ariaPressed = (b.dataset.device || b.dataset.sd).split(" ").includes(device); });
    for (const group of all(".sd-versions")) {
      const buttons = all("button", group);
      const chosen = buttons.find((b) => b.dataset.at.split(" ").includes(torch)) || buttons[0];
      buttons.forEach((b) => { b.ariaPressed = b === chosen; });
    }
    select.value = torch;
  };
  const choose = (button) => {
    const top = button.getBoundingClientRect().top;
    if ("sd" in button.dataset) sd.choose("device", button.dataset.sd);
    else sd.choose("torch", button.dataset.torch);
    show();
    scrollBy({ top: button.getBoundingClientRect().top - top, behavior: "instant" });
  };
  const header = document.querySelector(".md-header__inner");
  const place = header.querySelector(".md-header__option, .md-header__button[for=__search]");
  const marks = (buttons, key) => new Set(buttons.flatMap((b) => b.dataset[key].split(" ")));
  const found = marks(all(".sd-switch [data-sd]"), "device");
  if (found.size) {
    const group = make("div", { className: "sd-choice", role: "group", ariaLabel: "Show outputs of" });
    for (const device of ["cpu", "cuda", "mps"].filter((d) => found.has(d))) {
      const origin = document.querySelector(`.sd-pane[data-device="${device}"] details p`);
      const button = make("button", { textContent: device.toUpperCase(), title: origin?.textContent ?? "" });
      button.dataset.sd = device;
      group.append(button);
    }
    header.insertBefore(group, place);
  }
  const select = make("select", { className: "sd-torch", ariaLabel: "Version of PyTorch" });
  const versions = marks(all(".sd-versions button"), "at");
  if (sd.choice.torch) versions.add(sd.choice.torch);
  if (versions.size) {
    const order = new Intl.Collator("en", { numeric: true }).compare;
    const name = innerWidth < 480 ? "" : "PyTorch ";
    const options = [...versions].sort(order).reverse().map((one) => new Option(name + one, one));
    select.append(new Option(`${name}newest`, ""), ...options);
    select.onchange = () => { sd.choose("torch", select.value); show(); };
    header.insertBefore(select, place);
  }
  addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-sd], button[data-torch]");
    if (button) choose(button);
  });
  addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
    if (key !== "d" || ctrlKey || metaKey || altKey || target.matches("input, textarea, select")) return;
    const buttons = all(".sd-choice button");
    if (buttons.length) choose(buttons[(buttons.findIndex((b) => b.dataset.sd === root.dataset.sd) + 1) % buttons.length]);
  });
  show();

  /* Copy to run: a block with the earlier blocks that it needs. */
  const code = (block) => block.querySelector("code").textContent.replace(/\n+$/, "");
  const tolerant = (block) => {
    const errors = block.dataset.raises;
    if (!errors) return code(block);
    const body = code(block).replace(/^(?=.)/gm, "    ");
    return `try:\n${body}\nexcept ${errors.includes(",") ? `(${errors})` : errors}:\n    pass`;
  };
  const program = (block) => {
    const needed = block.dataset.needs.split(" ").map((n) => tolerant(document.querySelector(`[data-block="${n}"]`)));
    return [...needed, code(block)].join("\n\n") + "\n";
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
      tell(`Copied with ${with_}.`, text);
    } catch {
      tell("The browser did not let us copy.", text);
    }
  };
  const add = () => {
    for (const nav of all("nav.md-code__nav:not([aria-label])")) {
      nav.ariaLabel = nav.parentElement.id.replace("__code_", "Code block ");
      const block = nav.closest("[data-needs]");
      if (!block) continue;
      const count = block.dataset.needs.split(" ").length;
      const with_ = count === 1 ? "one earlier block" : `${count} earlier blocks`;
      const title = `Copy to run: with ${with_} that it needs`;
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
