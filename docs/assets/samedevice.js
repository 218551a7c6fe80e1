/* One device for every output: chosen here, kept for the next page, settable by ?device=cuda. */
(() => {
  const root = document.documentElement;
  const names = { cpu: "CPU", cuda: "CUDA", mps: "MPS" };
  const buttons = () => document.querySelectorAll("button[data-sd]");
  const show = (device) => {
    root.dataset.sd = device;
    buttons().forEach((b) => b.setAttribute("aria-pressed", (b.dataset.device || b.dataset.sd).split(" ").includes(device)));
  };
  const choose = (device, button) => {
    const top = button.getBoundingClientRect().top;
    try { localStorage.setItem("sd-device", device); } catch { /* private mode: not kept */ }
    show(device);
    scrollBy({ top: button.getBoundingClientRect().top - top, behavior: "instant" });
  };
  const found = new Set();
  document.querySelectorAll(".sd-out").forEach((o) => o.dataset.devices.split(" ").forEach((d) => found.add(d)));
  const header = document.querySelector(".md-header__inner");
  if (header && found.size > 1) {
    const group = document.createElement("div");
    group.className = "sd-choice";
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Show outputs of");
    for (const device of Object.keys(names).filter((d) => found.has(d))) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.sd = device;
      button.textContent = names[device];
      const panes = [...document.querySelectorAll(`.sd-pane[data-device~="${device}"]`)];
      const at = (pane) => pane.querySelectorAll(".sd-origin")[pane.dataset.device.split(" ").indexOf(device)];
      button.title = panes.map(at).find((origin) => origin)?.textContent ?? "";
      group.append(button);
    }
    header.insertBefore(group, header.querySelector(".md-header__option, .md-header__button[for=__search]"));
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-sd]");
    if (button) choose(button.dataset.sd, button);
  });
  show(root.dataset.sd || "cpu");
})();

/* Copy to run: a block with the earlier blocks that it needs. */
(() => {
  const code = (block) => block.querySelector("code").textContent.replace(/\n+$/, "");
  const tolerant = (block) => {
    const names = block.dataset.raises;
    if (!names) return code(block);
    const body = code(block).replace(/^(?=.)/gm, "    ");
    return `try:\n${body}\nexcept ${names.includes(",") ? `(${names})` : names}:\n    pass`;
  };
  const program = (block) => {
    const needed = block.dataset.needs.split(" ").map((n) => tolerant(document.querySelector(`[data-block="${n}"]`)));
    return [...needed, code(block)].join("\n\n") + "\n";
  };
  const toast = document.createElement("div");
  toast.className = "sd-toast";
  toast.setAttribute("role", "status");
  const dialog = document.createElement("dialog");
  dialog.className = "sd-dialog md-typeset";
  dialog.setAttribute("aria-label", "The program that was copied");
  dialog.innerHTML = '<pre tabindex="0"></pre><form method="dialog"><button class="md-button">Close</button></form>';
  let timer;
  const tell = (text, shown) => {
    clearTimeout(timer);
    toast.textContent = text;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Show";
    button.onclick = () => { dialog.querySelector("pre").textContent = shown; dialog.showModal(); };
    toast.append(button);
    toast.classList.add("sd-on");
    timer = setTimeout(() => toast.classList.remove("sd-on"), 8000);
  };
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  document.querySelector(".md-path")?.setAttribute("aria-label", "Breadcrumbs");
  const add = () => {
    document.querySelectorAll("nav.md-code__nav:not([aria-label])").forEach((nav) => {
      nav.setAttribute("aria-label", nav.parentElement.id.replace("__code_", "Code block "));
    });
    for (const block of document.querySelectorAll("[data-block][data-needs]")) {
      const nav = block.querySelector(".md-code__nav");
      if (!nav || nav.querySelector(".sd-run")) continue;
      const count = block.dataset.needs.split(" ").length;
      const label = `Copy to run: with the ${count === 1 ? "earlier block" : `${count} earlier blocks`} that it needs`;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "md-code__button sd-run";
      button.title = label;
      button.setAttribute("aria-label", label);
      button.onclick = async () => {
        const text = program(block);
        try {
          await navigator.clipboard.writeText(text);
          tell(`Copied with ${count === 1 ? "one earlier block" : `${count} earlier blocks`}.`, text);
        } catch {
          tell("The browser did not let us copy.", text);
        }
      };
      nav.prepend(button);
    }
  };
  document.body.append(toast, dialog);
  add();
  new MutationObserver(add).observe(document.querySelector(".md-content") || document.body, { childList: true, subtree: true });
})();

/* A pasted message is words, not a query: no operators, no numbers, no class, each word as it is; twenty are enough. */
(() => {
  const words = (text) => text.replace(/^\s*[\w.]*(Error|Warning|Exception):/, "").match(/[a-z_]\w*[a-z_]\w*/gi) || [];
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message?.type === 2 && message.data.trim().split(/\s+/).length > 4) {
      message = { ...message, data: [...new Set(words(message.data))].slice(0, 20).join("^1 ") };
    }
    return post.call(this, message, ...rest);
  };
  const query = document.querySelector("[data-md-component=search-query]");
  query?.addEventListener("input", () => query.dispatchEvent(new Event("keyup")));

  /* Each page that is found shows its best section, also where its own title fits better. */
  const list = document.querySelector(".md-search-result__list");
  if (list) new MutationObserver(() => {
    for (const more of list.querySelectorAll("li > a:first-child + details")) {
      const count = more.querySelector("summary div");
      count.textContent = count.textContent.replace(/\d+/, (number) => number - 1);
      more.before(more.querySelector("a"));
      if (!more.querySelector("a")) more.remove();
    }
  }).observe(list, { childList: true });
})();

/* A filter above a list: whatever follows it and lacks one of the words is hidden. */
document.querySelectorAll(".sd-filter").forEach((box) => {
  const input = box.querySelector("input");
  const said = box.querySelector("output");
  const after = (found) => [...found].filter((one) => box.compareDocumentPosition(one) & 4);
  const rows = after(document.querySelectorAll("article tbody tr, article dt")).map((row) => {
    const parts = row.matches("dt") ? [row, row.nextElementSibling] : [row];
    return { parts, text: parts.map((part) => part.textContent).join(" ").toLowerCase() };
  });
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word && !("loose" in input.dataset && /\d/.test(word)));
    let count = 0;
    for (const { parts, text } of rows) {
      const hidden = !words.every((word) => text.includes(word));
      parts.forEach((part) => { part.hidden = hidden; });
      count += !hidden;
    }
    after(document.querySelectorAll("article dl")).forEach((list) => {
      list.hidden = list.previousElementSibling.hidden = !list.querySelector("dt:not([hidden])");
    });
    said.textContent = words.length ? `${count} of ${rows.length}` : "";
  });
});
