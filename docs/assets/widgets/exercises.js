/* Exercises: what the reader's program printed beside what the solution printed, by the rules of the site's own tests. */
(() => {
  const NUMBER = /(?<![\w.])[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w.])/gi;
  const digits = (text) => text.replace(/e.*$/i, "").replace(/^[-+]?0*\.?0*|\.|[-+]/g, "").length;
  const places = (text) => (/\.(\d*)/.exec(text)?.[1].length ?? 0) - (Number(/e(.*)$/i.exec(text)?.[1]) || 0);
  /* Two numbers are one if they are equal, or if one is the other one rounded and both show four digits. */
  const number = (one, other) => {
    if (Number(one) === Number(other) && digits(one) === digits(other)) return true;
    if (!/[.e]/i.test(one) || !/[.e]/i.test(other) || Math.min(digits(one), digits(other)) < 4) return false;
    return Math.abs(Number(one) - Number(other)) <= .5 * 10 ** -Math.min(places(one), places(other)) * (1 + 1e-9);
  };
  const line = (one, other) => {
    const [first, second] = [one, other].map((text) => text.match(NUMBER) ?? []);
    const rest = [one, other].map((text) => text.replace(NUMBER, "#").replace(/0x[0-9a-f.]+/gi, "0x").replace(/\s+/g, " ").trim());
    return rest[0] === rest[1] && first.length === second.length && first.every((text, at) => number(text, second[at]));
  };
  const lines = (text) => text.replace(/\r/g, "").split("\n").map((one) => one.trimEnd()).join("\n").replace(/^\n+|\n+$/g, "").split("\n");

  /* The first line that differs from what was recorded; null if none does. `expected` is the recorded text. */
  const difference = (expected, given) => {
    const [wanted, got] = [lines(expected), lines(given)];
    for (let at = 0; at < Math.max(wanted.length, got.length); at++) {
      if (wanted[at] === undefined || got[at] === undefined || !line(wanted[at], got[at])) return { line: at + 1, wanted: wanted[at] ?? "", got: got[at] ?? "" };
    }
    return null;
  };

  /* Whether an answer of one number is the solution's, rounded: 5.2 where that printed 5.22 GiB. */
  const rounded = (expected, given) => {
    const [wanted, got] = [lines(expected), lines(given)], [first, second] = [wanted, got].map((text) => text.join("\n").match(NUMBER) ?? []);
    if (wanted.length * got.length * first.length * second.length !== 1) return false;
    const [words, own] = [wanted, got].map(([text]) => text.replace(NUMBER, "").trim());
    if ((own && own !== words) || Math.min(digits(first[0]), digits(second[0])) < 2) return false;
    return Math.abs(first[0] - second[0]) <= .5 * 10 ** -Math.min(places(first[0]), places(second[0])) * (1 + 1e-9);
  };

  const make = (tag, about = {}, ...inside) => {
    const found = Object.assign(document.createElement(tag), about);
    found.append(...inside);
    return found;
  };
  /* Above each solution that printed something a box; each device and version that is recorded is right. */
  const mount = (solution) => {
    const outputs = [...solution.querySelectorAll(".sd-out")].map((out) => [...out.querySelectorAll(".sd-pane")].map((pane) => ({
      label: pane.querySelector(".sd-label")?.textContent ?? "", text: pane.querySelector(".sd-text")?.textContent ?? "",
    })).filter(({ text }) => text)).filter((panes) => panes.length);
    const all = Math.max(...outputs.map((panes) => panes.length));
    const wanted = Array.from({ length: all }, (_, at) => ({
      label: outputs[0][at]?.label ?? outputs[0][0].label, text: outputs.map((panes) => (panes[at] ?? panes[0]).text).join("\n"),
    }));
    const box = make("textarea", { rows: 3, ariaLabel: "What your program printed", spellcheck: false }), told = make("div", { role: "status" });
    const form = make("form", {}, box, make("button", { textContent: "Compare" }), told);
    form.onsubmit = (event) => {
      event.preventDefault();
      if (!box.value.trim()) return told.textContent = "Paste what your program printed.";
      const error = /^\s*(?:\w+\.)*(\w*(?:Error|Exception))\b.*$/m.exec(box.value);
      const right = wanted.find(({ text }) => !difference(text, box.value) || rounded(text, box.value));
      if (right) return told.textContent = `Right: the solution printed ${right.text.includes("\n") ? "the same" : right.text.trim()} (${right.label}).`;
      if (error && !wanted.some(({ text }) => text.includes(error[1]))) return told.textContent = `Not yet: your program ended with ${error[0].trim()}`;
      const { line, wanted: one, got } = difference(wanted[0].text, box.value);
      told.replaceChildren(`Not yet. Line ${line} is another one than the solution's.`, make("pre", { className: "sd-text", textContent: `yours:    ${got || "(nothing)"}\nsolution: ${one || "(nothing)"}` }));
    };
    solution.before(make("details", { className: "sd-widget sd-try" }, make("summary", { textContent: "Check your answer" }), form));
  };
  (globalThis.sdWidgets ??= {}).exercises = { difference, rounded, mount };
})();
