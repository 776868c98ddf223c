// Compiles the WGSL and the GLSL of shaders in headless Chromium, whose compilers accept less than naga.
//
//     node tests/raster/compile.mjs target/release/kiln                  all shipped shaders, and functions.ksl
//     node tests/raster/compile.mjs target/release/kiln fbm voronoi      these
//
// Exits with 1 if a program does not compile. Without Chromium, the check is skipped.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const PASSES = ["forward", "gbuffer", "shadow"];
const TIMEOUT = 600_000;

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader",
  "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** The page: compiles each program, and posts the messages of the compilers, one list for each. */
const PAGE = `<!doctype html><script type="module">
const calls = (job, declare) => declare + (job.surface ? " surface(g);" : "") + (job.outputs.length ? " evaluate(g);" : "");
async function wgsl(device, job) {
  const uses = (job.surface ? "    let s = surface(g);\\n" : "") + (job.outputs.length ? "    let o = evaluate(g);\\n" : "");
  const main = "\\n@fragment\\nfn kiln_main() -> @location(0) vec4f {\\n    var g: Globals;\\n" + uses + "    return vec4f(0.0);\\n}\\n";
  const { messages } = await device.createShaderModule({ code: job.wgsl + main }).getCompilationInfo();
  return messages.filter(({ type }) => type === "error").map(({ lineNum, message }) =>
    "WGSL: " + message + ": " + (job.wgsl + main).split("\\n")[lineNum - 1]);
}
function glsl(gl, job) {
  const head = "#version 300 es\\nprecision highp float;\\nprecision highp int;\\nprecision highp sampler2D;\\n";
  const shader = gl.createShader(gl.FRAGMENT_SHADER);
  gl.shaderSource(shader, head + job.glsl + "\\nout vec4 result;\\nvoid main() { " + calls(job, "Globals g;") + " result = vec4(0.0); }\\n");
  gl.compileShader(shader);
  const messages = gl.getShaderParameter(shader, gl.COMPILE_STATUS) ? [] : ["GLSL: " + gl.getShaderInfoLog(shader)];
  const missing = job.members.filter((name) => !new RegExp("\\\\b" + name + "\\\\b").test(job.glsl));
  gl.deleteShader(shader);
  return messages.concat(missing.map((name) => "GLSL: no member " + name));
}
const post = (value) => fetch("/results", { method: "POST", body: JSON.stringify(value) });
try {
  const jobs = await (await fetch("/jobs")).json();
  const device = await (await navigator.gpu?.requestAdapter())?.requestDevice();
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!device || !gl) throw new Error("the browser has no WebGPU or no WebGL 2");
  const results = [];
  for (const job of jobs) results.push([...await wgsl(device, job), ...glsl(gl, job)]);
  await post(results);
} catch (error) {
  await post(String(error));
}
</script>`;

/** The messages of each program, or a text that says why there are none. */
function inBrowser(jobs) {
  const profile = mkdtempSync(path.join(tmpdir(), "kiln-browser-"));
  let browser;
  return new Promise((resolve) => {
    const server = createServer((request, response) => {
      if (request.url === "/jobs") return response.end(JSON.stringify(jobs));
      if (request.url !== "/results") return response.setHeader("content-type", "text/html").end(PAGE);
      const parts = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => {
        response.end();
        resolve(JSON.parse(Buffer.concat(parts).toString()));
      });
    });
    server.listen(0, "127.0.0.1", () => {
      const url = `http://127.0.0.1:${server.address().port}/`;
      browser = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${profile}`, url], { stdio: "ignore" });
      browser.on("error", (error) => resolve(String(error)));
    });
    setTimeout(() => resolve("the browser does not answer"), TIMEOUT).unref();
  }).finally(async () => {
    if (browser?.kill()) await new Promise((resolve) => browser.on("exit", resolve));
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
}

/** The programs of shaders, in all passes, with constant and with live parameters. */
function programs(kiln, names) {
  const jobs = [];
  for (const name of names) {
    for (const pass of PASSES) {
      for (const live of [[], ["--live", "all"]]) {
        const args = ["shade", name, "--emit", "json", "--pass", pass, ...live];
        const run = spawnSync(kiln, args, { encoding: "utf8", maxBuffer: 1 << 28 });
        if (run.status !== 0) continue;
        const { wgsl, glsl, surface, outputs } = JSON.parse(run.stdout);
        const structures = wgsl.matchAll(/^struct (?:Globals|Uniforms|Outputs|Surface) \{([^}]*)\}/gm);
        const members = [...structures].flatMap(([, body]) => [...body.matchAll(/(\w+):/g)].map(([, name]) => name));
        jobs.push({ title: [path.basename(name), pass, ...live].join(" "), wgsl, glsl, surface, outputs, members });
      }
    }
  }
  return jobs;
}

async function main([kiln, ...named]) {
  if (!existsSync(CHROMIUM)) {
    console.log(`skipped: there is no ${CHROMIUM}`);
    return 0;
  }
  const folder = new URL("../../shaders/", import.meta.url);
  const shipped = readdirSync(folder).filter((file) => file.endsWith(".ksl")).map((file) => file.slice(0, -4)).sort();
  const functions = new URL("functions.ksl", import.meta.url).pathname;
  const units = readFileSync(functions, "utf8").matchAll(/^shader (\w+)/gm);
  const all = [...shipped, ...[...units].map(([, name]) => `${functions}:${name}`)];
  const jobs = programs(kiln, named.length ? named : all);
  const results = await inBrowser(jobs);
  if (typeof results === "string") {
    console.log(results);
    return 1;
  }
  let wrong = 0;
  results.forEach((messages, i) => {
    messages.forEach((message) => console.log(`${jobs[i].title}: ${message}`));
    wrong += messages.length > 0;
  });
  console.log(`${jobs.length - wrong} of ${jobs.length} programs compile`);
  return wrong || !jobs.length ? 1 : 0;
}

process.exit(await main(process.argv.slice(2)));
