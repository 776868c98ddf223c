"use strict";
const by = id => document.getElementById(id);
const picture = by("picture");
// Values of a shader's parameters by name, or of a scene by path as for --set.
let number = 0, choices = null, values = {}, kind = "params", scene = "", materials = "", orbit = [0, 0, 1], sending = false, unsent = {}, drawn = 0;

// One request at a time; changes made meanwhile are sent together in the next one.
async function send(change) {
    unsent = { ...unsent, ...change, [kind]: { ...unsent[kind], ...change[kind] } };
    if (sending) return;
    sending = true;
    while (Object.keys(unsent).length > 0) {
        const body = JSON.stringify(unsent);
        unsent = {};
        try { await fetch("change", { method: "POST", body }); } catch { break; }
    }
    sending = false;
}

// State after a version, with the picture: length of the state, the state, pixels.
async function next(after) {
    const query = new URLSearchParams({ after, exposure: by("exposure").value, curve: by("curve").value });
    const bytes = await (await fetch("next?" + query)).arrayBuffer();
    const length = new DataView(bytes).getUint32(0, true);
    const news = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
    if (news.number >= drawn && news.size && bytes.byteLength > 4 + length) {
        drawn = news.number;
        [picture.width, picture.height] = news.size;
        picture.style.width = Math.max(news.full[0], 256) + "px";
        picture.style.aspectRatio = news.full.join(" / ");
        const pixels = new Uint8ClampedArray(bytes, 4 + length);
        picture.getContext("2d").putImageData(new ImageData(pixels, ...news.size), 0, 0);
    }
    return news;
}

async function show() {
    try { await next(0); } catch { /* `follow` reports the failure. */ }
}

async function follow() {
    for (;;) {
        let news;
        try {
            news = await next(number);
        } catch {
            by("state").textContent = "Disconnected: kiln has ended";
            await new Promise(done => setTimeout(done, 1000));
            number = drawn = 0;
            continue;
        }
        if (news.number === number) continue;
        number = news.number;
        if (news.samples) {
            const samples = news.samples === 1 ? "1 sample" : `${news.samples} samples`;
            by("state").textContent = `${samples}${news.denoised ? ", denoised" : ""}, ${news.seconds.toFixed(2)} s, ` + news.size.join(" × ");
        }
        by("message").textContent = news.words;
        by("message").className = news.wrong ? "wrong" : "";
        offerDenoise(news);
        scene = news.scene;
        kind = news.choices === null ? "sets" : "params";
        values = news[kind];
        kind === "params" ? offer(news) : offerMaterials(news);
    }
}

function offer(news) {
    const same = JSON.stringify(news.choices) === JSON.stringify(choices);
    if (same) return;
    choices = news.choices;
    document.title = choices.name + " — Kiln";
    by("name").textContent = choices.name;
    by("help").textContent = choices.help ?? "";
    options(by("on"), ["", ...choices.on], news.on ?? "", "default");
    options(by("show"), ["", ...choices.show], news.show ?? "", "default");
    controls(choices.params, "");
}

// Controls of parameters, whose keys begin with a prefix.
function controls(params, prefix) {
    const box = by("params");
    box.replaceChildren();
    for (const page of new Set(params.map(param => param.page ?? ""))) {
        if (page) box.append(element("h2", { textContent: page }));
        params.filter(param => (param.page ?? "") === page).forEach(param => box.append(control(param, prefix + param.name)));
    }
}

// Denoising is on if Open Image Denoise is installed, until the user turns it off.
let offersDenoise = false;
function offerDenoise(news) {
    if (offersDenoise || news.denoise === null) return;
    offersDenoise = true;
    document.querySelectorAll(".denoise").forEach(part => part.hidden = false);
    by("denoise").checked = true;
    if (!news.denoise) send({ denoise: true });
}

function offerMaterials(news) {
    if (materials === JSON.stringify(news.materials)) return;
    materials = JSON.stringify(news.materials);
    document.querySelectorAll(".on, .show").forEach(part => part.hidden = true);
    document.querySelectorAll(".material").forEach(part => part.hidden = news.materials.length === 0);
    document.title = scene + " — Kiln";
    by("name").textContent = scene.split(/[\\/]/).at(-1);
    const kept = by("material").value;
    options(by("material"), ["", ...news.materials], news.materials.includes(kept) ? kept : "", "select, or click in the picture");
    chooseMaterial();
}

async function chooseMaterial() {
    const name = by("material").value;
    if (!name) {
        by("help").textContent = "";
        controls([], "");
        return;
    }
    const material = await (await fetch("material?" + new URLSearchParams({ name }))).json();
    by("help").textContent = `${material.unit}: ${material.help ?? ""}`;
    controls(material.params, `material.${name}.`);
}

function options(select, list, chosen, first) {
    select.replaceChildren(...list.map(value => new Option(value || first, value, false, value === chosen)));
}

function element(tag, properties, ...inside) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...inside);
    return made;
}

const triple = text => {
    const all = (text.match(/-?[\d.]+(e-?\d+)?/gi) ?? []).map(Number);
    return all.length === 1 ? [all[0], all[0], all[0]] : all;
};
const encoded = v => v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const hex = text => "#" + [...triple(text), 0, 0, 0].slice(0, 3)
    .map(v => Math.round(255 * encoded(Math.min(Math.max(v, 0), 1))).toString(16).padStart(2, "0")).join("");
const ofHex = text => "(" + [1, 3, 5].map(at => +linear(parseInt(text.slice(at, at + 2), 16) / 255).toPrecision(4)).join(", ") + ")";

// Texts in scenes are quoted.
const quotes = param => kind === "sets" && param.type === "string";
const inside = text => /^".*"$/.test(text) ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text;
const quoted = text => '"' + text.replace(/["\\]/g, "\\$&") + '"';

// Controls of a parameter.
function control(param, key) {
    const box = element("label", { title: param.help ?? "" });
    const text = element("input", { type: "text", spellcheck: false, placeholder: param.computed ?? param.default });
    const back = element("button", { textContent: "↺", title: "Reset to default", type: "button" });
    const row = element("div", { className: "row" });
    const others = [];
    const put = (value, from) => {
        box.classList.toggle("set", value !== null);
        const shown = value ?? param.default;
        if (from !== text) text.value = value ?? "";
        others.filter(other => other !== from).forEach(other => other.put(shown));
    };
    const set = (value, from) => {
        put(value, from);
        values[key] = value !== null && quotes(param) ? quoted(value) : value;
        send({ [kind]: { [key]: values[key] } });
    };
    const range = () => {
        const isInt = param.type === "int", start = Number(param.default) || 0;
        const min = param.min ?? Math.min(0, 2 * start), max = param.max ?? Math.max(1, 4 * Math.abs(start));
        const slider = element("input", { type: "range", min, max, step: isInt ? 1 : (max - min) / 500 });
        slider.put = value => { slider.value = value; };
        slider.oninput = () => set(isInt ? slider.value : String(+Number(slider.value).toPrecision(4)), slider);
        return slider;
    };
    const list = () => {
        const select = element("select", {});
        options(select, param.options.split("|").map(option => option.trim()), param.default, "");
        select.put = value => { select.value = value; };
        select.onchange = () => set(select.value, select);
        return select;
    };
    const check = () => {
        const tick = element("input", { type: "checkbox" });
        tick.put = value => { tick.checked = Number(value) !== 0; };
        tick.onchange = () => set(tick.checked ? "1" : "0", tick);
        return tick;
    };
    const color = () => {
        const well = element("input", { type: "color" });
        well.put = value => { well.value = hex(value); };
        well.oninput = () => set(ofHex(well.value), well);
        return well;
    };
    const widget = param.widget ?? "";
    if (param.options && param.type === "string") others.push(list());
    else if (param.type === "int" && /check|bool/i.test(widget)) others.push(check());
    else if (param.type === "int" || param.type === "float") others.push(range());
    else if (param.type === "color") others.push(color());
    text.onchange = () => set(text.value.trim() || null, text);
    back.onclick = event => { event.preventDefault(); set(null, null); };
    row.append(...others);
    if (!others.some(other => other.type === "checkbox" || other.tagName === "SELECT")) row.append(text);
    box.append(element("div", { className: "name" }, element("span", { textContent: param.label ?? param.name }), back), row);
    const given = values[key] ?? null;
    if (quotes(param)) param.default = text.placeholder = inside(param.default);
    put(given !== null && quotes(param) ? inside(given) : given, null);
    return box;
}

by("on").onchange = () => send({ on: by("on").value || null });
by("show").onchange = () => send({ show: by("show").value || null });
by("denoise").onchange = () => send({ denoise: by("denoise").checked });
by("material").onchange = chooseMaterial;
by("exposure").oninput = show;
by("curve").onchange = show;
by("exposure").ondblclick = () => { by("exposure").value = 0; show(); };

let drag = null;
picture.onpointerdown = event => { drag = { x: event.clientX, y: event.clientY, orbit: [...orbit], moved: false }; picture.setPointerCapture(event.pointerId); };
picture.onpointermove = event => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (Math.hypot(dx, dy) < 4 && !drag.moved) return;
    drag.moved = true;
    orbit = [drag.orbit[0] + dx * 0.006, Math.min(Math.max(drag.orbit[1] + dy * 0.006, -1.5), 1.5), orbit[2]];
    send({ orbit });
};
picture.onpointerup = event => { const was = drag; drag = null; if (was && !was.moved) pick(event); };
picture.onwheel = event => { event.preventDefault(); orbit[2] = Math.min(Math.max(orbit[2] * Math.exp(event.deltaY * 0.001), 0.02), 50); send({ orbit }); };
picture.ondblclick = () => { orbit = [0, 0, 1]; send({ orbit }); };
picture.onkeydown = event => {
    const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (!step) return;
    event.preventDefault();
    orbit = [orbit[0] + step[0], Math.min(Math.max(orbit[1] + step[1], -1.5), 1.5), orbit[2]];
    send({ orbit });
};

async function pick(event) {
    const box = picture.getBoundingClientRect();
    const query = new URLSearchParams({ x: (event.clientX - box.x) / box.width, y: (event.clientY - box.y) / box.height });
    try { by("point").textContent = await (await fetch("pick?" + query)).text(); } catch { /* `follow` reports the failure. */ }
    const material = /^material +(.*)$/m.exec(by("point").textContent)?.[1];
    if ([...by("material").options].some(option => option.value === material)) {
        by("material").value = material;
        chooseMaterial();
    }
}

by("copy").onclick = async () => {
    const word = text => /^[\w.,:/=#-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
    const flag = kind === "sets" ? "--set" : "--param";
    const given = Object.entries(values).filter(([, value]) => value !== null);
    const words = given.map(([name, value]) => ` ${flag} ${word(name + "=" + value)}`);
    if (by("denoise").checked) words.push(" --denoise");
    await navigator.clipboard.writeText(`kiln render ${word(scene)}${words.join("")}`);
    by("copy").textContent = "Copied";
    setTimeout(() => { by("copy").textContent = "Copy command line"; }, 1000);
};

follow();
