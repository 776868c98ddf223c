// Runs the GLSL of shaders in WebGL 2, in headless Chromium, and compares it with `kiln shade` on a grid.
//
//     node tests/raster/browser.mjs target/release/kiln                  all shipped shaders, and functions.ksl
//     node tests/raster/browser.mjs target/release/kiln fbm voronoi      these
//     node tests/raster/browser.mjs --run jobs.json results.json         programs of `kiln shade --emit json` on grids
//
// Exits with 1 if a number differs by more than 1e-3 of the larger of 1 and its size. Without Chromium, the check is skipped.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SIZE = 16;
const LIMIT = 1e-3;

/** The page: draws each job into a texture of floats, four numbers of a point at a time. */
function page(jobs) {
  return `<!doctype html><pre id="results"></pre><script>
const jobs = ${JSON.stringify(jobs).replaceAll("<", "\\u003c")};
function members(glsl, name) {
  const body = glsl.match(new RegExp("struct " + name + " \\\\{([^}]*)\\\\}"))?.[1] ?? "";
  return [...body.matchAll(/(\\w+) (\\w+)((?:\\[\\d+\\])?);/g)].map(([, type, member, array]) => ({ type, member, array }));
}
function flat(type, text) {
  if (type === "vec2") return ["x", "y"].map((c) => text + "." + c);
  if (type === "vec3") return ["x", "y", "z"].map((c) => text + "." + c);
  if (type === "mat4" || type === "mat4x4")
    return [0, 1, 2, 3].flatMap((i) => [0, 1, 2, 3].map((j) => text + "[" + i + "][" + j + "]"));
  return ["float(" + text + ")"];
}
/** The spaces of the grid of kiln shade that are not the common one: turned about z by an angle, and then moved. */
const turned = { object: [90, 0, 1], shader: [45, 1, 0] };
/** The matrix TO_from_FROM of a member with such a name. */
function matrix(member) {
  const to_common = (space) => {
    const [degrees, x, y] = turned[space] ?? [0, 0, 0];
    const s = Math.sin(degrees * Math.PI / 180), c = Math.cos(degrees * Math.PI / 180);
    return "mat4(" + [c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, x, y, 0, 1].map((n) => n.toFixed(8)).join(", ") + ")";
  };
  const [to, from] = member.replace(/_$/, "").split("_from_");
  return from && "inverse(" + to_common(to) + ") * " + to_common(from);
}
function globals(job) {
  const [w, h] = job.size, [su, sv] = job.scale, steps = [w, h].map((n) => Math.max(n - 1, 1));
  const per = job.center ? [w, h] : steps;
  const f = (x) => { const t = String(x); return /[.e]/.test(t) ? t : t + ".0"; };
  const known = {
    P: "vec3(u, v, 1.0)", N: "vec3(0.0, 0.0, 1.0)", Ng: "vec3(0.0, 0.0, 1.0)", u: "u", v: "v",
    dPdu: "vec3(1.0, 0.0, 0.0)", dPdv: "vec3(0.0, 1.0, 0.0)", surface_area: "1.0", ray_kind: "1",
    dPdx: "vec3(" + f(su / steps[0]) + ", 0.0, 0.0)", dPdy: "vec3(0.0, " + f(sv / steps[1]) + ", 0.0)",
    dudx: f(su / per[0]), dvdy: f(sv / per[1]), ...job.known,
  };
  const zero = { float: "0.0", int: "0", vec3: "vec3(0.0)", vec4: "vec4(0.0)", mat4: "mat4(1.0)", mat4x4: "mat4(1.0)" };
  const value = ({ member, type }) => known[member] ?? known[member.replace(/_$/, "")] ?? matrix(member) ?? zero[type];
  return members(job.glsl, "Globals").map((m) => "    g." + m.member + " = " + value(m) + ";").join("\\n");
}
/** The uniform block: each value, or element of an array, begins at a multiple of 16 bytes. */
function uniforms(list) {
  const data = new DataView(new ArrayBuffer(1 << 14));
  for (const { type, offset, value } of list) {
    const isArray = type.endsWith("]"), isInt = type.startsWith("int");
    (isArray ? value : [value]).forEach((element, i) => [element].flat().forEach((x, j) => {
      const at = offset + 16 * i + 4 * j;
      if (isInt) data.setInt32(at, x, true); else data.setFloat32(at, x, true);
    }));
  }
  return data.buffer;
}
function shader(gl, type, text) {
  const s = gl.createShader(type);
  gl.shaderSource(s, text);
  gl.compileShader(s);
  if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s) + text);
  return s;
}
function run(gl, job) {
  const [type, call] = job.surface ? ["Surface", "surface"] : ["Outputs", "evaluate"];
  const numbers = members(job.glsl, type).flatMap(({ type, member, array }) => {
    const count = array ? Number(array.slice(1, -1)) : 1;
    const parts = array ? [...Array(count).keys()].map((i) => "[" + i + "]") : [""];
    return parts.flatMap((part) => flat(type, "o." + member + part));
  });
  const [w, h] = job.size;
  // u of each column and v of each row, rounded as the program does: hashes depend on each bit.
  const r = Math.fround;
  const axis = (n, scale, offset) => Float32Array.from({ length: Math.max(w, h) }, (_, i) => r(offset +
    (job.center ? r(r(scale * (i + 0.5)) / n) : n === 1 ? r(scale * 0.5) : r(scale * r(i / (n - 1))))));
  const fragment = "#version 300 es\\nprecision highp float;\\nprecision highp int;\\nprecision highp sampler2D;\\n" + job.glsl +
    "\\nuniform int part;\\nuniform sampler2D axes;\\nout vec4 result;\\nvoid main() {\\n    Globals g;\\n" +
    "    float u = texelFetch(axes, ivec2(int(gl_FragCoord.x), 0), 0).x;\\n" +
    "    float v = texelFetch(axes, ivec2(int(gl_FragCoord.y), 1), 0).x;\\n" + globals(job) +
    "\\n    " + type + " o = " + call + "(g);\\n    float list[" + (numbers.length + 4) + "];\\n" +
    numbers.map((text, i) => "    list[" + i + "] = " + text + ";").join("\\n") +
    "\\n    result = vec4(list[4 * part], list[4 * part + 1], list[4 * part + 2], list[4 * part + 3]);\\n}\\n";
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl, gl.VERTEX_SHADER,
    "#version 300 es\\nvoid main() { gl_Position = vec4(float(gl_VertexID % 2) * 4.0 - 1.0, float(gl_VertexID / 2) * 4.0 - 1.0, 0.0, 1.0); }"));
  gl.attachShader(program, shader(gl, gl.FRAGMENT_SHADER, fragment));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  gl.useProgram(program);
  const block = gl.getUniformBlockIndex(program, "UniformBlock");
  if (block !== gl.INVALID_INDEX) {
    gl.uniformBlockBinding(program, block, 0);
    gl.bindBufferBase(gl.UNIFORM_BUFFER, 0, gl.createBuffer());
    gl.bufferData(gl.UNIFORM_BUFFER, uniforms(job.uniforms), gl.STATIC_DRAW);
  }
  gl.activeTexture(gl.TEXTURE1);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.R32F, Math.max(w, h), 2);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, Math.max(w, h), 1, gl.RED, gl.FLOAT, axis(w, job.scale[0], job.offset[0]));
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 1, Math.max(w, h), 1, gl.RED, gl.FLOAT, axis(h, job.scale[1], job.offset[1]));
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  gl.uniform1i(gl.getUniformLocation(program, "axes"), 1);
  gl.activeTexture(gl.TEXTURE0);
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, w, h);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  gl.viewport(0, 0, w, h);
  const points = Array.from({ length: w * h }, () => []);
  for (let part = 0; part * 4 < numbers.length; ++part) {
    gl.uniform1i(gl.getUniformLocation(program, "part"), part);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    const four = new Float32Array(w * h * 4);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.FLOAT, four);
    for (let i = 0; i < w * h; ++i)
      for (let j = 0; j < 4 && part * 4 + j < numbers.length; ++j) points[i].push(String(four[4 * i + j]));
  }
  return points;
}
const gl = document.createElement("canvas").getContext("webgl2");
const results = gl && gl.getExtension("EXT_color_buffer_float") ? jobs.map((job) => {
  try { return { points: run(gl, job) }; } catch (error) { return { error: String(error) }; }
}) : null;
document.getElementById("results").textContent = JSON.stringify(results);
</script>`;
}

/** Runs jobs in the browser. */
function inBrowser(jobs) {
  const folder = mkdtempSync(path.join(tmpdir(), "kiln-browser-"));
  try {
    writeFileSync(path.join(folder, "page.html"), page(jobs));
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", `--user-data-dir=${path.join(folder, "profile")}`,
      "--timeout=600000", "--dump-dom"];
    const page_url = `file://${path.join(folder, "page.html")}`;
    const done = spawnSync(CHROMIUM, [...flags, page_url], { encoding: "utf8", maxBuffer: 1 << 30, timeout: 900000 });
    const text = done.stdout?.match(/<pre id="results">([\s\S]*?)<\/pre>/)?.[1];
    if (!text) throw new Error(`no results: ${done.stderr?.slice(-2000)}`);
    const plain = text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
    const results = JSON.parse(plain);
    if (!results) throw new Error("the browser has no WebGL 2 with textures of floats");
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The numbers that `kiln shade --print` shows, point by point. */
function interpreted(kiln, name, outputs) {
  const args = ["shade", name, "--interpret", "-g", String(SIZE), String(SIZE), "--center", "--print"];
  const text = execFileSync(kiln, [...args, ...outputs.flatMap((output) => ["-o", output, "null"])], { encoding: "utf8", maxBuffer: 1 << 30 });
  const points = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("Pixel")) points.push([]);
    else if (line.includes(":")) points.at(-1)?.push(...line.slice(line.indexOf(":") + 1).trim().split(/\s+/).map(Number));
  }
  return points;
}

function main(args) {
  if (!existsSync(CHROMIUM)) {
    console.log(`skipped: there is no ${CHROMIUM}`);
    return 0;
  }
  if (args[0] === "--run") {
    writeFileSync(args[2], JSON.stringify(inBrowser(JSON.parse(readFileSync(args[1], "utf8")))));
    return 0;
  }
  const [kiln, ...named] = args;
  const folder = new URL("../../shaders/", import.meta.url);
  const shipped = readdirSync(folder).filter((file) => file.endsWith(".ksl")).map((file) => file.slice(0, -4)).sort();
  const functions = new URL("functions.ksl", import.meta.url).pathname;
  const names = readFileSync(functions, "utf8").matchAll(/^shader (\w+)/gm);
  const all = [...shipped, ...[...names].map(([, name]) => `${functions}:${name}`)];
  const jobs = [];
  for (const name of named.length ? named : all) {
    for (const live of [[], ["--live", "all"]]) {
      const run = spawnSync(kiln, ["shade", name, "--emit", "json", ...live], { encoding: "utf8", maxBuffer: 1 << 28 });
      if (run.status !== 0) continue;
      const program = JSON.parse(run.stdout);
      if (program.textures.length || live.length && !program.uniforms.length) continue;
      const { outputs, glsl, uniforms, surface } = program;
      const grid = { size: [SIZE, SIZE], center: true, scale: [1, 1], offset: [0, 0] };
      jobs.push({ name, title: path.basename(name) + (live.length ? " with live parameters" : ""), outputs, glsl, uniforms, surface, ...grid });
    }
  }
  let wrong = 0;
  inBrowser(jobs).forEach((result, i) => {
    const { name, title, outputs } = jobs[i];
    if (result.error) {
      console.log(`${title}: ${result.error}`);
      wrong += 1;
      return;
    }
    // Nothing else computes the lobes of a surface: they must be numbers.
    if (jobs[i].surface) {
      const isWrong = !result.points.flat().every((text) => Number.isFinite(Number(text)));
      console.log(`${title}: ${isWrong ? "not finite" : "draws"}`);
      wrong += isWrong;
      return;
    }
    const expected = interpreted(kiln, name, outputs.map((output) => output.name));
    let largest = 0;
    let worst = "";
    result.points.forEach((point, at) => point.forEach((text, j) => {
      const [a, b] = [Number(text), expected[at][j]];
      const error = Math.abs(a - b) / Math.max(1, Math.abs(b));
      if (!(error <= LIMIT) && !worst) worst = ` (point ${at}, number ${j}: ${a} is not ${b})`;
      largest = Math.max(largest, error);
    }));
    console.log(`${title}: ${largest.toExponential(1)}${worst}`);
    wrong += !(largest <= LIMIT);
  });
  console.log(`${jobs.length - wrong} of ${jobs.length} agree`);
  return wrong ? 1 : 0;
}

process.exitCode = main(process.argv.slice(2));
