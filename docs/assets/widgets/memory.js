/* The memory of a training step of a GPT, by the formula that stands in the table. Tests compare it with the sizes that
   PyTorch counts for such a model on a CPU, and on a simulated GPU: pre-norm blocks, fused attention, GELU, the embedding
   as the last layer. Under autocast, CUDA keeps the logarithms of the probabilities in both dtypes for the loss. */
(() => {
  const GIB = 2 ** 30;
  const MODELS = {
    "GPT-2 small": [12, 768, 50257, 1024], "GPT-2 XL": [48, 1600, 50257, 1024], "7 billion": [32, 4096, 32000, 4096], "tiny": [4, 256, 8000, 256],
  };
  /* Bytes of an element of weights and of activations, and of what stays float32 between the layers. */
  const DTYPES = { float32: [4, 4, 4], "float32, autocast to bfloat16": [4, 2, 4], bfloat16: [2, 2, 2] };
  const OPTIMIZERS = { "SGD": 0, "SGD with momentum": 1, "Adam, AdamW": 2 };

  /* The parts in bytes. `width` is that of a token, `tokens` those of a sample; heads are 64 wide. */
  const memory = ({ layers, width, vocabulary, tokens, batch, dtype, optimizer, checkpointing }) => {
    const [weight, element, residual] = DTYPES[dtype], heads = width / 64, all = batch * tokens;
    const matrices = layers * 12 * width ** 2 + vocabulary * width;
    const parameters = matrices + layers * 13 * width + tokens * width + 2 * width;
    const inside = width * (14 * element + residual) + 16 + 4 * heads, layer = width * residual + inside;
    const copied = element < weight ? element : 0; // of a matrix, by autocast; a checkpointed layer makes its own again
    const last = width * (residual + element) + 8 + vocabulary * (element < weight ? element + weight : element) + 8;
    return {
      parameters,
      weights: parameters * weight,
      gradients: parameters * weight,
      optimizer: parameters * weight * OPTIMIZERS[optimizer],
      copies: (checkpointing ? vocabulary * width : matrices) * copied,
      activations: all * (layers * (checkpointing ? width * residual : layer) + last),
      recomputed: checkpointing ? all * inside + 12 * width ** 2 * copied : 0,
    };
  };

  const make = (tag, about = {}, ...inside) => {
    const found = Object.assign(document.createElement(tag), about);
    found.append(...inside);
    return found;
  };
  const whole = new Intl.NumberFormat("en"), gib = (bytes) => `${(bytes / GIB).toFixed(bytes < GIB ? 3 : 2)} GiB`;
  const FIELDS = { layers: [1, 200], width: [64, 32768], vocabulary: [2, 1e6], tokens: [1, 1e6], batch: [1, 1e6] };

  const mount = (place) => {
    const choice = (names, value) => make("select", {}, ...names.map((name) => new Option(name, name, false, name === value)));
    const model = choice([...Object.keys(MODELS), "other"], "GPT-2 small");
    const numbers = Object.fromEntries(Object.entries(FIELDS).map(([name, [min, max]], at) =>
      [name, make("input", { type: "number", min, max, value: [...MODELS["GPT-2 small"], 8][at] })]));
    const dtype = choice(Object.keys(DTYPES), "float32"), optimizer = choice(Object.keys(OPTIMIZERS), "Adam, AdamW"), checkpointing = make("input", { type: "checkbox" });
    const label = (text, field) => make("label", {}, `${text} `, field);
    const told = make("p", { role: "status" }), body = make("tbody");
    const table = make("table", { className: "sd-table" }, make("thead", {}, make("tr", {}, ...["Part", "Formula", "GiB", "Share"].map((textContent) => make("th", { scope: "col", textContent })))), body);
    const show = () => {
      const wrong = Object.entries(numbers).find(([, field]) => !field.validity.valid || !field.value);
      for (const field of Object.values(numbers)) field.ariaInvalid = String(field === wrong?.[1]);
      table.hidden = !!wrong;
      if (wrong) return told.textContent = `${wrong[0]}: a whole number from ${whole.format(wrong[1].min)} to ${whole.format(wrong[1].max)}, please.`;
      const asked = Object.fromEntries(Object.entries(numbers).map(([name, field]) => [name, Number(field.value)]));
      const found = memory({ ...asked, dtype: dtype.value, optimizer: optimizer.value, checkpointing: checkpointing.checked });
      const { parameters, ...parts } = found, [weight, element, residual] = DTYPES[dtype.value];
      const n = whole.format(parameters), layers = whole.format(asked.layers), all = `${whole.format(asked.batch)} × ${whole.format(asked.tokens)} tokens`;
      const inside = `${14 * element + residual} B × width`, per = `${14 * element + 2 * residual} B × width`;
      const last = `for the last layer ${residual + element} B × width + ${element < weight ? element + weight : element} B × vocabulary`;
      const how = {
        weights: `${n} parameters × ${weight} B`, gradients: `the same`, optimizer: `${OPTIMIZERS[optimizer.value]} × the weights`,
        copies: `${checkpointing.checked ? "the last layer's matrix" : "matrices"} in bfloat16, ${element} B each, kept from forward to backward`,
        activations: checkpointing.checked ? `${all} × (${layers} layers × ${residual} B × width, and ${last})` : `${all} × (${layers} layers × ${per}, and ${last})`,
        recomputed: `${all} × ${inside}${element < weight ? ", and the layer's matrices in bfloat16" : ""}, one layer at a time`,
      };
      const sum = Object.values(parts).reduce((one, two) => one + two);
      const line = (name, bytes, text) => make("tr", {}, make("th", { scope: "row", textContent: name }), make("td", {}, make("code", { textContent: text })),
        make("td", { textContent: gib(bytes) }), make("td", {}, make("meter", { max: sum, value: bytes, ariaLabel: `${name}: ${(100 * bytes / sum).toFixed(0)} %` })));
      body.replaceChildren(...Object.entries(parts).filter(([, bytes]) => bytes).map(([name, bytes]) => line(name, bytes, how[name])));
      told.textContent = `${n} parameters; ${gib(sum)} at the start of backward, before temporary results, CUDA's context and the allocator's rounding.`;
    };
    model.onchange = () => { (MODELS[model.value] ?? []).forEach((value, at) => { Object.values(numbers)[at].value = value; }); show(); };
    Object.values(numbers).slice(0, 4).forEach((field) => field.addEventListener("input", () => { model.value = "other"; }));
    const fields = make("div", { className: "sd-fields" }, label("Model", model), label("layers", numbers.layers), label("width", numbers.width), label("vocabulary", numbers.vocabulary),
      label("tokens a sample", numbers.tokens), label("batch", numbers.batch), label("dtype", dtype), label("optimizer", optimizer), label("checkpoint each layer", checkpointing));
    fields.addEventListener("input", show);
    place.replaceChildren(fields, told, make("div", { className: "sd-scroll", tabIndex: 0 }, table));
    show();
  };
  (globalThis.sdWidgets ??= {}).memory = { memory, mount };
})();
