/* What readers do with blocks and outputs, in any theme: choose a device or a version, copy to run, link. */
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
  /* Material for MkDocs has a header that holds the switches, and buttons at code; other themes have neither. */
  const header = document.querySelector(".md-header__inner");
  const place = header?.querySelector(".md-header__option, .md-header__button[for=__search]");
  const marks = (buttons, key) => new Set(buttons.flatMap((b) => b.dataset[key].split(" ")));
  const found = marks(all(".sd-switch [data-sd]"), "device");
  if (header && found.size) {
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
  if (header && versions.size) {
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

  /* Copy to run: a block after those that ran before it, by the rules of copies.py, which says what to write. */
  const QUIET = `import contextlib
import io

# What runs before the block; what it prints is not shown.
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
`;
  const numbers = (text = "") => text.match(/\d+/g) || [];
  const code = (block) => block.querySelector("code").textContent.replace(/^\n+|\n+$/g, "");
  const quiet = (block) => {
    const { keep, raises } = block.dataset;
    const indent = (line, at) => (line && !numbers(keep).includes(`${at + 1}`) ? (raises ? "        " : "    ") + line : line);
    const body = code(block).split("\n").map(indent).join("\n");
    return raises ? `    try:\n${body}\n    except ${raises}:\n        pass` : body;
  };
  const program = (block) => {
    const { about, edit = "0 0 ", needs } = block.dataset;
    const [, start, end, words] = /(\d+) (\d+) (.*)/.exec(edit);
    const before = numbers(needs).map((index) => document.querySelector(`[data-block="${index}"]`));
    const silent = before.filter((one) => !one.dataset.setup).map(quiet);
    const earlier = before.filter((one) => one.dataset.setup).map((one) => `${code(one)}\n\n`).join("")
      + (silent.length ? `${QUIET}${silent.join("\n\n")}\n\n` : "");
    const text = code(block);
    const value = words + text.slice(start, end) + ")".repeat(words.split("(").length - 1);
    return `# ${about}\n\n${earlier}${text.slice(0, start)}${value}${text.slice(end)}\n`;
  };
  const toast = make("div", { className: "sd-toast", role: "status", hidden: true });
  const dialog = make("dialog", { className: "sd-dialog md-typeset", ariaLabel: "Copied program" });
  dialog.innerHTML = '<pre tabindex="0"></pre><form method="dialog"><button class="md-button">Close</button></form>';
  document.body.append(toast, dialog);
  let timer;
  const tell = (text, shown) => {
    clearTimeout(timer);
    const onclick = () => { dialog.firstChild.textContent = shown; dialog.showModal(); };
    toast.replaceChildren(text, make("button", { textContent: "Show", onclick }));
    toast.hidden = false;
    timer = setTimeout(() => { toast.hidden = true; }, 8000);
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
  const link = (to, at, className) => at.append(make("a", { href: `#${to.id}`, title: "Link to this", className, textContent: "#" }));
  all(".sd-out[id], dt[id]").forEach((one) => link(one, one, "headerlink"));
  const add = () => {
    for (const nav of all("nav.md-code__nav:not([aria-label])")) {
      nav.ariaLabel = nav.parentElement.id.replace("__code_", "Code block ");
      const block = nav.closest("[data-block]");
      if (!block) continue;
      link(block, nav, "md-code__button sd-link");
      if (!block.dataset.about) continue;
      const count = numbers(block.dataset.needs).length;
      const with_ = ["", " with one earlier block"][count] ?? ` with ${count} earlier blocks`;
      const title = `Copy to run${with_}`;
      nav.prepend(make("button", {
        className: "md-code__button sd-run", title, ariaLabel: title, onclick: () => copy(block, with_),
      }));
    }
  };
  const content = document.querySelector(".md-content");
  if (content) new MutationObserver(add).observe(content, { childList: true, subtree: true });
  else all("[data-block]").forEach((block) => block.prepend(make("nav", { className: "md-code__nav sd-nav" })));
  add();
})();
