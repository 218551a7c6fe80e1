/* Exercises: what the reader's program printed beside what the solution printed, by the rules of the site's own tests. */
(() => {
  /* comparison.py, in JavaScript: two texts are the same, but for floats that are one another's rounding. */
  const FLOAT = /(?<![\w.])[-+]?(?:\d*\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+)(?!\d|\.\d)/gi;
  const NUMBER = /(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi;
  const read = (text) => {
    const [, sign, whole, part = "", power = "0"] = /^([-+]?)(\d*)(?:\.(\d*))?(?:e(.*))?$/i.exec(text);
    return { value: BigInt(`${sign === "-" ? "-" : ""}${whole}${part}`), last: power - part.length, digits: (whole + part).replace(/^0+/, "").length };
  };
  const sameFloat = (one, other) => {
    if (one === other) return true;
    const [a, b] = [read(one), read(other)], last = Math.min(a.last, b.last), top = Math.max(a.last, b.last);
    if (Math.min(a.digits, b.digits) < 4 || top - last > 400) return false;
    const gap = a.value * 10n ** BigInt(a.last - last) - b.value * 10n ** BigInt(b.last - last);
    return (gap < 0n ? -gap : gap) * 2n <= 10n ** BigInt(top - last);
  };
  const line = (one, other) => {
    const [first, second] = [one, other].map((text) => text.match(FLOAT) ?? []);
    return one.split(FLOAT).join("\0") === other.split(FLOAT).join("\0") && first.every((text, at) => sameFloat(text, second[at]));
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

  /* Whether an answer of one number is the solution's float, rounded: 5.2 where that printed 5.22 GiB. */
  const rounded = (expected, given) => {
    const [wanted, got] = [lines(expected), lines(given)], [first, second] = [wanted, got].map((text) => text.join("\n").match(NUMBER) ?? []);
    if (wanted.length * got.length * first.length * second.length !== 1 || ![first[0], second[0]].every((one) => /\.\d/.test(one))) return false;
    const [words, own] = [wanted, got].map(([text]) => text.replace(NUMBER, "").trim()), [a, b] = [read(first[0]), read(second[0])];
    if ((own && own !== words) || Math.min(a.digits, b.digits) < 2) return false;
    return Math.abs(first[0] - second[0]) <= .5 * 10 ** Math.max(a.last, b.last) * (1 + 1e-9);
  };

  /* Whether two numbers are equal, however they are written: 48.0 and 48. */
  const equal = (one, other) => {
    const [a, b] = [read(one), read(other)], last = Math.min(a.last, b.last);
    if (Math.max(a.last, b.last) - last > 400) return false;
    return a.value * 10n ** BigInt(a.last - last) === b.value * 10n ** BigInt(b.last - last);
  };
  const passes = (one, other) => one === other || ([one, other].every((text) => /\.\d|e/i.test(text)) && sameFloat(one, other));

  /* How the solution printed a number that the reader printed in another form. */
  const form = (one, own, many) => {
    const [whole, power, sign, digits] = [
      (text) => !/[.e]/i.test(text), (text) => /e/i.test(text), (text) => /^[-+]?/.exec(text)[0], (text) => text.replace(/e.*$/i, "").replace(/\D/g, "").length,
    ].map((ask) => [ask(one), ask(own)]), other = ([a, b]) => a !== b;
    if (other(whole)) return whole[0] ? `as ${many ? "whole numbers" : "a whole number"}, without a point` : `as ${many ? "floats" : "a float"}`;
    if (other(power)) return `${power[0] ? "with" : "without"} an exponent`;
    if (other(sign)) return "with another sign";
    return other(digits) ? "with another number of digits" : "in another form";
  };

  /* What differs between two lines that have equal numbers and, but for blanks, equal words; "" if nothing is found. */
  const alike = (one, own, first, second) => {
    const pairs = first.map((text, at) => [text, second[at]]), changed = pairs.filter(([a, b]) => !passes(a, b));
    const blanks = one.replace(NUMBER, "#") !== own.replace(NUMBER, "#");
    if (!changed.length) return blanks ? "only the blanks differ." : "";
    const many = first.length > 1, which = !many ? "it" : changed.length === first.length ? "them" : `${changed.length} of them`;
    const forms = [...new Set(changed.map(([a, b]) => form(a, b, changed.length > 1)))].join(" or ");
    const exact = pairs.every(([a, b]) => equal(a, b)) ? "" : ", but for rounding";
    return `the ${many ? "values are" : "value is"} equal${exact}. The solution printed ${which} ${forms}${blanks ? ", and with other blanks" : ""}.`;
  };

  /* What to look at, without saying what the solution printed. */
  const hint = (expected, given) => {
    const [wanted, got] = [lines(expected), lines(given)], { line: at, wanted: one, got: own } = difference(expected, given);
    const bare = (text) => text.replace(/\s+/g, ""), say = (text) => wanted.length > 1 ? `Line ${at}: ${text}` : text[0].toUpperCase() + text.slice(1);
    if (wanted.length !== got.length) {
      const rest = bare(expected) === bare(given) ? " All else but blanks is the same." : "";
      return `Your program printed ${got.length} line${got.length > 1 ? "s" : ""}, the solution ${wanted.length}.${rest}`;
    }
    const same = (change) => change(one) === change(own);
    if (same(bare)) return say("only the blanks differ.");
    if (same((text) => text.replace(/, device='[^']*'/g, ""))) return say("the numbers are right, and on another device.");
    if (same((text) => text.replace(/, (?:dtype|grad_fn|requires_grad)=[^,)]*/g, ""))) return say("the numbers are right; the dtype, or whether there is a gradient, is not.");
    if (same((text) => bare(text.replace(NUMBER, "#")))) {
      const [first, second] = [one, own].map((text) => text.match(NUMBER) ?? []);
      const wrong = first.filter((text, i) => !passes(text, second[i]) && !equal(text, second[i])).length;
      const [found, verb] = first.length > 1 ? [`${wrong} of ${first.length} numbers`, wrong > 1 ? "are other ones" : "is another one"] : ["the number", "is another one"];
      if (wrong) return say(`${found} ${verb} than the solution's.`);
      const told = alike(one, own, first, second);
      if (told) return say(told);
    }
    return say("it differs in more than its numbers.");
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
      const near = wanted.find(({ text }) => lines(text).length === lines(box.value).length) ?? wanted[0];
      const { line, wanted: one, got } = difference(near.text, box.value);
      const shown = make("pre", { className: "sd-text", textContent: `line ${line}, yours:    ${got || "(nothing)"}\nline ${line}, solution: ${one || "(nothing)"}` });
      const more = make("button", { type: "button", textContent: "Show the solution's line", onclick: () => more.replaceWith(shown) });
      told.replaceChildren(`Not yet. ${hint(near.text, box.value)} `, more);
    };
    solution.before(make("details", { className: "sd-widget sd-try" }, make("summary", { textContent: "Check your answer" }), form));
  };
  (globalThis.sdWidgets ??= {}).exercises = { difference, rounded, hint, mount };
})();
