/* What readers do with blocks and outputs, in any theme: choose a device or a version, copy to run, link. */
(() => {
  const root = document.documentElement;
  /* A theme that loads no pages runs this anew on each: what the page before had is gone then, and so is what it heard. */
  window.sdHeard?.abort();
  const { signal } = window.sdHeard = new AbortController();
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const make = (tag, about) => Object.assign(document.createElement(tag), about);

  /* One device and one version of PyTorch for every output: chosen here, kept, and in the address where it was chosen:
     ?device=cuda&torch=2.13. Tab and Enter work every switch; d shows the next device. */
  const choose = (key, value) => {
    sd.choose(key, value);
    show();
    const url = new URL(location);
    if (value) url.searchParams.set(key, value);
    else url.searchParams.delete(key);
    history.replaceState(history.state, "", url);
  };
  const outputs = all(".sd-out[data-devices]");
  /* The switches of versions that are seen: an output that the device lacks shows another's. */
  const several = (device) =>
    all(`[data-devices~="${device}"]>.sd-versions[data-for="${device}"],:not([data-devices~="${device}"])>.sd-versions`);
  const differ = (device, torch) => several(device).filter((group) =>
    all("button", group).some((b) => b.dataset.torch && b.dataset.at.split(" ").includes(torch))).length;
  const marks = (what, key) => [...new Set(all(what).flatMap((one) => one.dataset[key].split(" ")))];
  const devices = sd.devices.filter((one) => marks(".sd-switch [data-sd]", "device").includes(one));
  const order = new Intl.Collator("en", { numeric: true }).compare;
  const versions = marks(".sd-versions button", "at").sort(order).reverse();
  for (const [key, known] of [["device", devices], ["torch", versions]]) {
    sd.choose(key, known.includes(sd.choice[key]) ? sd.choice[key] : sd.kept[key]);
  }
  if (sd.choice.torch && versions.length && !versions.includes(sd.choice.torch)) versions.push(sd.choice.torch);
  const row = document.querySelector(".sd-ran"), bar = document.querySelector(".sd-bar") ?? make("span", { className: "sd-bar" });
  const title = document.querySelector("article h1, main h1, [role=main] h1, h1");
  const select = make("select", { className: "sd-torch", ariaLabel: "Outputs of PyTorch" });
  const group = make("span", { className: "sd-choice", role: "group", ariaLabel: "Outputs of" });
  /* What a device would show where outputs differ: `CUDA: H100 9, simulated 13`. */
  const says = (device) => {
    const panes = all(`.sd-out:has(> .sd-switch [data-sd]) > .sd-pane[data-device~="${device}"]`);
    const simulated = panes.filter((pane) => pane.matches(".sd-simulated")).length, real = panes.length - simulated;
    const told = [real && `${row?.dataset[device] ?? ""} ${real}`.trim(), simulated && `simulated ${simulated}`].filter(Boolean);
    return `${device.toUpperCase()}: ${told.join(", ")}`;
  };
  if (devices.length || versions.length) {
    if (!bar.isConnected) row ? row.append(bar) : title?.after(bar);
    group.append(...devices.map((device, at) => {
      const button = make("button", { type: "button", textContent: at ? says(device) : device.toUpperCase() });
      button.dataset.sd = device;
      button.title = at ? `Show what ${button.textContent} printed, wherever outputs differ` : "";
      return button;
    }));
    bar.append(...(devices.length ? [group] : []));
    const pick = make("label", { className: "sd-pick" });
    pick.append("PyTorch ", select);
    if (versions.length) bar.append(pick);
  }
  const show = () => {
    const { device, torch } = sd.choice;
    all("button[data-sd]").forEach((b) => { b.ariaPressed = (b.dataset.device || b.dataset.sd).split(" ").includes(device); });
    for (const group of all(".sd-versions")) {
      const buttons = all("button", group);
      const chosen = buttons.find((b) => b.dataset.at.split(" ").includes(torch)) || buttons[0];
      buttons.forEach((b) => { b.ariaPressed = b === chosen; });
    }
    const option = (one) => {
      const some = differ(device, one);
      return new Option(some ? `${one}: ${some} differ${some > 1 ? "" : "s"}` : one, one);
    };
    select.replaceChildren(new Option("newest", ""), ...versions.map(option));
    select.value = torch;
  };
  sd.show = show;
  select.onchange = () => choose("torch", select.value);
  const press = (button) => {
    const top = button.getBoundingClientRect().top;
    if ("sd" in button.dataset) choose("device", button.dataset.sd);
    else choose("torch", button.dataset.torch);
    scrollBy({ top: button.getBoundingClientRect().top - top, behavior: "instant" });
  };
  addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-sd], button[data-torch]");
    if (button) press(button);
  }, { signal });
  addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
    if (key !== "d" || ctrlKey || metaKey || altKey || target.matches("input, textarea, select")) return;
    if (devices.length) choose("device", devices[(devices.indexOf(root.dataset.sd) + 1) % devices.length]);
  }, { signal });
  show();

  /* Copy to run: a block after those that ran before it, by the rules of copies.py, which says what to write. */
  const QUIET = `import contextlib
import io

# What runs before the block; what it prints is not shown.
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
`;
  const numbers = (text = "") => text.match(/\d+/g) || [];
  const needs = ({ dataset }) => (dataset.needs?.match(/\d+(-\d+)?/g) || []).flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => `${first + at}`);
  });
  const needed = (block) => needs(block).map((index) => document.querySelector(`[data-block="${index}"]`));
  const code = (block) => block.querySelector("code").textContent.replace(/^\n+|\n+$/g, "");
  const quiet = (block) => {
    const { keep, raises } = block.dataset;
    const indent = (line, at) => (line && !numbers(keep).includes(`${at + 1}`) ? (raises ? "        " : "    ") + line : line);
    const body = code(block).split("\n").map(indent).join("\n");
    return raises ? `    try:\n${body}\n    except ${raises}:\n        pass` : body;
  };
  const program = (block) => {
    const { about, edit = "0 0 " } = block.dataset;
    if (!about) return `${code(block)}\n`;
    const [, start, end, words] = /(\d+) (\d+) (.*)/.exec(edit);
    const before = needed(block), silent = before.filter((one) => !one.dataset.setup).map(quiet);
    const earlier = before.filter((one) => one.dataset.setup).map((one) => `${code(one)}\n\n`).join("")
      + (silent.length ? `${QUIET}${silent.join("\n\n")}\n\n` : "");
    const text = code(block);
    const value = words + text.slice(start, end) + ")".repeat(words.split("(").length - 1);
    return `# ${about}\n\n${earlier}${text.slice(0, start)}${value}${text.slice(end)}\n`;
  };
  const toast = make("div", { className: "sd-toast", role: "status", hidden: true });
  const dialog = make("dialog", { className: "sd-dialog md-typeset", ariaLabel: "Copied program" });
  dialog.innerHTML = '<pre tabindex="0"></pre><form method="dialog"><button class="md-button">Close</button></form>';
  all("body > .sd-toast, body > .sd-dialog").forEach((one) => one.remove());
  document.body.append(toast, dialog);
  let timer;
  const tell = sd.tell = (text, shown) => {
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
      const runs = /^[^#\s$]/m.test(code(block));  /* and not comments alone, or what a terminal reads */
      tell(`Copied ${runs ? "a program that runs: " : ""}this block${with_}.${/ Needs .*|$/.exec(block.dataset.about ?? "")}`, text);
    } catch {
      tell("The browser did not let us copy. Select the program here:", text);
    }
  };
  const link = (to, at, className) => at.append(make("a", { href: `#${to.id}`, title: "Link to this", className, textContent: "#" }));
  all(".sd-out[id], dt[id]").forEach((one) => link(one, one, "headerlink"));
  const copies = () => document.querySelector("[data-block]:not([data-part])");  /* else the project wants no buttons */
  const add = () => {
    const here = new Set(all("[data-block]").map((block) => block.dataset.block)), copied = copies();
    for (const nav of all("nav.md-code__nav:not([aria-label])")) {
      nav.ariaLabel = nav.parentElement.id.replace("__code_", "Code block ");
      const block = nav.closest("[data-block]");
      if (!block) continue;
      if (block.id && copied) link(block, nav, "md-code__button sd-link");
      const before = needs(block), count = before.length;
      if (block.dataset.part || before.some((index) => !here.has(index))) continue;  /* a section that is shown elsewhere may lack some */
      const with_ = ["", " with one earlier block"][count] ?? ` with ${count} earlier blocks`;
      const title = `Copy a program that runs by itself: this block${with_}`;
      nav.prepend(make("button", {
        type: "button", className: "md-code__button sd-run", title, textContent: "Copy program", onclick: () => copy(block, with_),
      }));
    }
  };
  const content = document.querySelector(".md-content");
  if (content) new MutationObserver(add).observe(content, { childList: true, subtree: true });
  else if (copies()) all("[data-block]").forEach((block) => block.prepend(make("nav", { className: "md-code__nav sd-nav" })));
  add();
})();
