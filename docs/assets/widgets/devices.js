/* Which device is each tensor on? A program line by line: the reader says where the new tensor is, then sees it. */
(() => {
  /* Each line, what it makes or changes, by name, and why. `error` is the line that fails. */
  const PROGRAMS = {
    "as it was written": [
      ["model = nn.Linear(3, 2).to(\"cuda\")", { "model.weight": "cuda" }, "A model moves in place, all its parameters with it."],
      ["x = torch.ones(4, 3)", { x: "cpu" }, "A factory makes its tensor on the CPU, unless it is told otherwise."],
      ["x.to(\"cuda\")", { x: "cpu" }, "to() returns the moved tensor. Nobody keeps it, and x stays where it was."],
      ["target = torch.zeros(4, 2, device=\"cuda\")", { target: "cuda" }, "device= makes the tensor where it is needed."],
      ["y = model(x)", {}, "The matrix product needs x and model.weight on one device, and x is on the CPU.", "RuntimeError"],
    ],
    "mended": [
      ["model = nn.Linear(3, 2).to(\"cuda\")", { "model.weight": "cuda" }, "A model moves in place, all its parameters with it."],
      ["x = torch.ones(4, 3)", { x: "cpu" }, "A factory makes its tensor on the CPU, unless it is told otherwise."],
      ["x = x.to(\"cuda\")", { x: "cuda" }, "Now x names the moved tensor."],
      ["target = torch.zeros(4, 2, device=\"cuda\")", { target: "cuda" }, "device= makes the tensor where it is needed."],
      ["y = model(x)", { y: "cuda" }, "The result is on the device of the inputs."],
      ["weights = torch.tensor([1.0, 2.0])", { weights: "cpu" }, "Another factory, another tensor on the CPU."],
      ["scaled = y * weights[0]", { scaled: "cuda" }, "A tensor of no dimensions is an exception: it counts as a number, wherever it is."],
      ["loss = (scaled - target).mean()", { loss: "cuda" }, "All of it on one device."],
    ],
  };
  const programs = () => PROGRAMS;

  const make = (tag, about = {}, ...inside) => {
    const found = Object.assign(document.createElement(tag), about);
    found.append(...inside);
    return found;
  };
  const mount = (place) => {
    let name = Object.keys(PROGRAMS)[0], done = 0, right = 0, asked = 0;
    const which = make("select", { ariaLabel: "Program" }, ...Object.keys(PROGRAMS).map((one) => new Option(one, one)));
    const code = make("ol", { className: "sd-lines" }), told = make("p", { role: "status" }), ask = make("p"), table = make("table", { className: "sd-table" });
    const answer = (said) => {
      const [, changed] = PROGRAMS[name][done], [one] = Object.values(changed);
      asked += 1;
      right += said === (one ?? "error");
      done += 1;
      show(said === (one ?? "error") ? "Right. " : "No. ");
      ask.querySelector("button")?.focus();
    };
    const show = (before = "") => {
      const program = PROGRAMS[name], at = {};
      for (const [, changed] of program.slice(0, done)) Object.assign(at, changed);
      code.replaceChildren(...program.map(([line, , , error], number) => make("li", {
        className: number < done ? (error ? "sd-error" : "sd-done") : number === done ? "sd-now" : "",
      }, make("code", { textContent: line }))));
      table.replaceChildren(make("tr", {}, ...["tensor", "device"].map((textContent) => make("th", { scope: "col", textContent }))),
        ...Object.entries(at).map(([tensor, device]) => make("tr", {}, make("td", {}, make("code", { textContent: tensor })), make("td", { className: `sd-on-${device}`, textContent: device }))));
      const last = program[done - 1], next = program[done];
      told.textContent = before + (last ? `${last[3] ? `${last[3]}. ` : ""}${last[2]}` : "Say of each line what it does, then see.");
      const [of] = Object.keys(next?.[1] ?? {});
      const button = (textContent, onclick) => make("button", { type: "button", textContent, onclick });
      ask.replaceChildren(...(next ? [of ? `After line ${done + 1}, ${of} is on ` : `Line ${done + 1} gives y on `, button("cpu", () => answer("cpu")), button("cuda", () => answer("cuda")), button("raises an error", () => answer("error"))] :
        [`${right} of ${asked} right. `, button("again", () => { restart(); ask.querySelector("button").focus(); })]));
    };
    const restart = () => { done = right = asked = 0; show(); };
    which.onchange = () => { name = which.value; restart(); };
    place.replaceChildren(make("p", {}, make("label", {}, "The program ", which)), code, ask, told, make("div", { className: "sd-scroll", tabIndex: 0 }, table));
    show();
  };
  (globalThis.sdWidgets ??= {}).devices = { programs, mount };
})();
