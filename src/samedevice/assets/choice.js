/* In the head of each page: which outputs are seen, those of one device, with one version of PyTorch where they were
   made with it. DEVICES are the kinds of device, which page_assets.py puts here. A browser in private mode keeps no choice.
   What an address asks for is kept once outputs.js knows that the page has it. */
var sd = (() => {
  const style = document.head.appendChild(document.createElement("style"));
  const devices = DEVICES;
  const choice = { device: devices[0], torch: "" }, kept = {}, valid = { device: { test: (one) => devices.includes(one) }, torch: /^[\w.+-]*$/ };
  const asked = new URLSearchParams(location.search);
  const take = (key, value) => { if (value != null && valid[key].test(value)) choice[key] = value; };
  const rules = ({ device, torch }) => {
    const found = [
      `.sd-out[data-devices~="${device}"]:not(.sd-beside)>.sd-pane:not([data-device~="${device}"])`,
      `.sd-out:not([data-devices~="${device}"])>.sd-pane~.sd-pane`,
      `.sd-out[data-devices~="${device}"]>.sd-versions:not([data-for="${device}"])`,
    ].map((what) => `${what}{display:none}`);
    for (const one of torch ? devices : []) {
      const out = ".sd-out" + (one === device ? "" : `:is(.sd-beside,:not([data-devices~="${device}"]))`);
      const at = `[data-at~="${one}-${torch}"]`;
      found.push(`${out}${at}>[data-device~="${one}"]{display:none}${out}>.sd-pane${at}{display:block!important}`);
    }
    return found.join("");
  };
  const apply = () => {
    const now = rules(choice);
    document.documentElement.dataset.sd = choice.device;
    if (style.textContent !== now) style.textContent = now;
  };
  const choose = (key, value) => {
    take(key, value);
    try { localStorage.setItem(`sd-${key}`, choice[key]); } catch {}
    apply();
  };
  for (const key in choice) {
    try { take(key, localStorage.getItem(`sd-${key}`)); } catch {}
    kept[key] = choice[key];
    take(key, asked.get(key));
  }
  apply();
  return { choice, choose, devices, kept };
})();
