/* Floats by their bits: what float32, float16 and bfloat16 make of a number, and what each bit is worth. */
(() => {
  const FORMATS = { float32: [8, 23], bfloat16: [8, 7], float16: [5, 10] };

  /* The number that a format holds of a value: the nearest, of two that are as near the one whose last bit is even.
     PyTorch makes a float32 of a Python number first. */
  const round = (value, format) => {
    const [exponents, fractions] = FORMATS[format], single = Math.fround(value);
    if (!Number.isFinite(single) || single === 0) return single;
    const least = 2 - 2 ** (exponents - 1), power = Math.max(least, Math.floor(Math.log2(Math.abs(single))) + 0);
    const exact = Math.abs(single) < 2 ** power ? power - 1 : Math.abs(single) >= 2 ** (power + 1) ? power + 1 : power;
    const gap = 2 ** (Math.max(least, exact) - fractions), steps = single / gap, below = Math.floor(steps), rest = steps - below;
    const found = gap * (rest > .5 || (rest === .5 && below % 2 !== 0) ? below + 1 : below);
    const most = (2 - 2 ** -fractions) * 2 ** (2 ** (exponents - 1) - 1);
    return Math.abs(found) > most ? Math.sign(found) * Infinity : found === 0 ? Math.sign(single) * 0 : found;
  };
  /* The bits of a number that the format can hold: sign, exponent, fraction, as a text of 0 and 1. */
  const bits = (value, format) => {
    const [exponents, fractions] = FORMATS[format], bias = 2 ** (exponents - 1) - 1;
    const sign = value < 0 || Object.is(value, -0) ? "1" : "0", size = Math.abs(value);
    const text = (number, length) => number.toString(2).padStart(length, "0");
    if (Number.isNaN(value)) return `0${"1".repeat(exponents)}1${"0".repeat(fractions - 1)}`;
    if (size === Infinity) return sign + "1".repeat(exponents) + "0".repeat(fractions);
    let power = size ? Math.floor(Math.log2(size)) : -Infinity;
    if (size && size < 2 ** power) power -= 1;
    if (size && size >= 2 ** (power + 1)) power += 1;
    if (power < 1 - bias) return sign + text(0, exponents) + text(Math.round(size / 2 ** (1 - bias - fractions)), fractions);
    return sign + text(power + bias, exponents) + text(Math.round((size / 2 ** power - 1) * 2 ** fractions), fractions);
  };
  /* And back. */
  const number = (text, format) => {
    const [exponents, fractions] = FORMATS[format], bias = 2 ** (exponents - 1) - 1;
    const sign = text[0] === "1" ? -1 : 1, power = parseInt(text.slice(1, 1 + exponents), 2);
    const part = parseInt(text.slice(1 + exponents), 2) / 2 ** fractions;
    if (power === 2 ** exponents - 1) return part ? NaN : sign * Infinity;
    return sign * (power ? (1 + part) * 2 ** (power - bias) : part * 2 ** (1 - bias));
  };
  /* The distance to the next larger number. */
  const gap = (value, format) => {
    const [exponents, fractions] = FORMATS[format], power = parseInt(bits(value, format).slice(1, 1 + exponents), 2);
    return Number.isFinite(value) ? 2 ** (Math.max(1, power) - (2 ** (exponents - 1) - 1) - fractions) : NaN;
  };

  const make = (tag, about = {}, ...inside) => {
    const found = Object.assign(document.createElement(tag), about);
    found.append(...inside);
    return found;
  };
  const written = (value) => (Object.is(value, -0) ? "-0" : String(value).replace("Infinity", "inf").replace("NaN", "nan"));
  const read = (text) => ({ inf: Infinity, "-inf": -Infinity, nan: NaN })[text.trim().toLowerCase()] ?? (text.trim() ? Number(text.trim().replace(/_/g, "").replace("**", "e")) : NaN);
  const PARTS = ["sign", "exponent", "fraction"];

  const mount = (place) => {
    const input = make("input", { value: "0.1", size: 14, ariaLabel: "A number", autocomplete: "off" }), rows = make("div");
    const told = make("p", { role: "status" });
    const examples = make("p", {}, "Try ", ...["0.1", "1.001", "257", "65520", "1e-8", "16777217"].map((text) =>
      make("button", { type: "button", textContent: text, onclick: () => { input.value = text; show(); } })));
    const row = (value, format) => {
      const [exponents] = FORMATS[format], held = round(value, format), text = bits(held, format);
      const digits = [...text].map((bit, at) => {
        const part = PARTS[at === 0 ? 0 : at <= exponents ? 1 : 2];
        const flip = () => {
          const changed = text.slice(0, at) + (bit === "0" ? "1" : "0") + text.slice(at + 1);
          input.value = written(number(changed, format));
          show();
          rows.querySelectorAll(`[data-format=${format}] button`)[at]?.focus();
        };
        return make("button", { type: "button", className: `sd-bit sd-${part}`, textContent: bit, ariaLabel: `${part}, bit ${at}: ${bit}`, onclick: flip });
      });
      const off = held - value, about = Number.isNaN(value) || !Number.isFinite(value) ? "" :
        off === 0 ? "exactly" : Number.isFinite(held) ? `off by ${Math.abs(off).toPrecision(3)}` : "too large for this dtype";
      const next = Number.isFinite(held) ? `; the next number is ${gap(held, format).toPrecision(4).replace(/\.?0+(?=$|e)/, "")} away` : "";
      const line = make("div", { className: "sd-float" }, make("b", { textContent: format }), make("code", { textContent: written(held) }),
        make("span", { textContent: [about, next].join("") }), make("div", { className: "sd-bits", role: "group", ariaLabel: `Bits of ${format}` }, ...digits));
      line.dataset.format = format;
      return line;
    };
    const show = () => {
      const value = read(input.value), wrong = Number.isNaN(value) && !/^\s*nan\s*$/i.test(input.value);
      told.textContent = wrong ? "Write a number, like 0.1 or 6e-5." : "Choose a bit to turn it over.";
      if (!wrong) rows.replaceChildren(...Object.keys(FORMATS).map((format) => row(value, format)));
    };
    input.addEventListener("input", show);
    const key = make("p", { className: "sd-key" }, ...PARTS.map((part) => make("span", { className: `sd-bit sd-${part}`, textContent: part })));
    place.replaceChildren(make("p", {}, make("label", {}, "A number ", input)), examples, rows, key, told);
    show();
  };
  (globalThis.sdWidgets ??= {}).floats = { round, bits, number, gap, mount };
})();
