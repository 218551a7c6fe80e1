/* Broadcasting: two shapes aligned at the right, what each dimension does, the shape of the result, and its cells. */
(() => {
  /* A shape as people write one, "2, 3", "(2, 3)" or "[2,3]": a list of sizes; null if it is none. */
  const parse = (text) => {
    const bare = text.trim().replace(/^(?:torch\.Size)?\s*[([]+\s*|\s*[)\]]+$/g, "").replace(/,\s*$/, "");
    if (!bare) return [];
    const sizes = bare.split(/\s*[,x×]\s*|\s+/).map(Number);
    return sizes.length <= 8 && sizes.every((size) => Number.isInteger(size) && size >= 0 && size <= 1e9) ? sizes : null;
  };

  /* What `a + b` does with two shapes: for each dimension both sizes and what happens, the result or PyTorch's message. */
  const broadcast = (a, b) => {
    const length = Math.max(a.length, b.length), rows = [];
    for (let at = 0; at < length; at++) {
      const [one, two] = [a, b].map((shape) => shape[at - length + shape.length]);
      const fits = one === two || one === 1 || two === 1 || one === undefined || two === undefined;
      rows.push({ a: one, b: two, fits, size: one === undefined || (one === 1 && two !== undefined) ? two : one });
    }
    const bad = rows.findLastIndex(({ fits }) => !fits), { a: one, b: two } = rows[bad] ?? {};
    const error = bad < 0 ? "" :
      `The size of tensor a (${one}) must match the size of tensor b (${two}) at non-singleton dimension ${bad}`;
    return { rows, shape: error ? null : rows.map(({ size }) => size), error };
  };

  const make = (tag, about = {}, ...inside) => {
    const found = Object.assign(document.createElement(tag), about);
    found.append(...inside);
    return found;
  };
  const named = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
  const does = ({ a, b, fits }) => {
    if (!fits) return "an error: neither is 1";
    if (a === undefined || b === undefined) return `repeated: missing in ${a === undefined ? "a" : "b"}`;
    return a === b ? "equal" : `repeated: 1 in ${a === 1 ? "a" : "b"}`;
  };
  const CELLS = 10;
  /* One operand as it is read for each cell of the result: cells that are read again are pale. */
  const grid = (name, shape, [rows, columns], own) => {
    const table = make("table", { className: "sd-grid" }, make("caption", { textContent: `${name} ${named(shape)}` }));
    const [high, wide] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
    for (let row = 0; row < rows; row++) {
      const line = table.insertRow();
      for (let column = 0; column < columns; column++) {
        const cell = line.insertCell();
        cell.textContent = own(row % high, column % wide);
        if (row >= high || column >= wide) cell.className = "sd-again";
      }
    }
    return table;
  };

  const mount = (place) => {
    const inputs = ["3, 1", "4"].map((value, at) => make("input", { value, size: 12, ariaLabel: `Shape of ${"ab"[at]}`, autocomplete: "off" }));
    const told = make("p", { role: "status" }), table = make("table", { className: "sd-table" }), grids = make("div", { className: "sd-grids" });
    const examples = make("p", {}, "Try ", ...["3, 1 and 4", "2, 3 and 3", "2, 3 and 2", "5, 1, 4 and 3, 1"].map((text) =>
      make("button", { type: "button", textContent: text, onclick: () => { text.split(" and ").forEach((one, at) => { inputs[at].value = one; }); show(); } })));
    const show = () => {
      const [a, b] = inputs.map(({ value }) => parse(value));
      table.replaceChildren();
      grids.replaceChildren();
      if (!a || !b) return told.textContent = `Write the shape of ${a ? "b" : "a"} as whole numbers with commas, like 2, 3.`;
      const { rows, shape, error } = broadcast(a, b);
      told.className = error ? "sd-error" : "";
      told.textContent = error ? `RuntimeError: ${error}` : `a + b has the shape ${named(shape)}.`;
      const line = (head, texts) => make("tr", {}, make("th", { scope: "row", textContent: head }), ...texts.map((text) => make("td", { textContent: text })));
      table.append(line("dimension", rows.map((_, at) => at)), line("a", rows.map((row) => row.a ?? "–")), line("b", rows.map((row) => row.b ?? "–")),
        line("a + b", rows.map((row) => (row.fits ? row.size : "✕"))), line("so it is", rows.map(does)));
      const [high, wide] = [shape?.at(-2) ?? 1, shape?.at(-1) ?? 1];
      if (!shape || shape.length > 2 || !high || !wide || high > CELLS || wide > CELLS) return;
      const at = (shape, row, column) => row * (shape.at(-1) ?? 1) + column;
      const values = [(row, column) => 10 * at(a, row, column), (row, column) => 1 + at(b, row, column)];
      const sum = (row, column) => [a, b].reduce((all, one, n) => all + values[n](row % (one.at(-2) ?? 1), column % (one.at(-1) ?? 1)), 0);
      grids.append(grid("a", a, [high, wide], values[0]), "+", grid("b", b, [high, wide], values[1]), "=", grid("a + b", shape, [high, wide], sum));
    };
    inputs.forEach((input) => input.addEventListener("input", show));
    place.replaceChildren(make("p", {}, make("label", {}, "Shape of a ", inputs[0]), make("label", {}, "Shape of b ", inputs[1])), examples, told,
      make("div", { className: "sd-scroll", tabIndex: 0 }, table), grids);
    show();
  };
  (globalThis.sdWidgets ??= {}).broadcasting = { parse, broadcast, mount };
})();
