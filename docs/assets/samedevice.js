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
      const origin = document.querySelector(`.sd-pane[data-device~="${device}"] .sd-origin`);
      if (origin) button.title = origin.textContent;
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
