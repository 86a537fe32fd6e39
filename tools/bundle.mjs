/**
 * Bundles the compiled program: in a few files for all commands, because loading a few files instead of hundreds halves the start-up time, and in
 * one file for the operator, with the code that V8 compiled for it (see `src/cli/compiled.ts`).
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const operator = join(root, 'dist/bin/operator.cjs')
const common = { absWorkingDir: root, bundle: true, platform: 'node', logLevel: 'warning', outdir: 'dist/bin' }
const modules = { ...common, format: 'esm', packages: 'external', sourcemap: true, sourcesContent: false }
const sandboxReadyMs = 60_000

/** Some packages are loaded part by part through a `load` function, which a bundler does not follow. */
const loadedInParts = {
  filter: /runtime\/(undici\/index|real\/metrics)\.js$/,
  edit: (contents) => contents.replaceAll(/\bload\(/g, 'require('),
}

/** The HTTP/2 client, half a megabyte, is loaded with the first HTTP/2 connection, so that the first hooks start earlier. */
const lateHttp2 = {
  filter: /undici\/lib\/dispatcher\/client\.js$/,
  edit: (contents) => {
    const load = "require('./client-h2.js')"
    if (!contents.includes(`connectH2 = ${load}`)) throw new Error('undici loads HTTP/2 in another way now')
    return contents.replace(load, `(...given) => ${load}(...given)`)
  },
}

/** One character outside ASCII doubles the memory of the whole text. The bundler escapes strings, but not regular expressions. */
const ascii = {
  filter: /\.c?js$/,
  edit: (contents) =>
    contents.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
}

const edits = {
  name: 'edits',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.c?js$/ }, ({ path }) => ({
      contents: [loadedInParts, lateHttp2, ascii]
        .filter(({ filter }) => filter.test(path))
        .reduce((contents, { edit }) => edit(contents), readFileSync(path, 'utf8')),
    })),
}

/** Every other command is loaded from its modules. */
const operatorOnly = {
  name: 'operator only',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/[a-z-]+\/index\.js$/ }, ({ importer, path }) =>
      importer.endsWith('/cli/commands.js') && !/^\.\/(run|shell-operator)\//.test(path)
        ? { path, external: true }
        : undefined,
    ),
}

await build({ ...modules, entryPoints: ['dist/cli/process.js'], splitting: true })
await build({ ...modules, entryPoints: ['dist/cli/main.js'], external: ['./process.js'] })
const moduleUrl = "const moduleUrl = require('node:url').pathToFileURL(__filename).href;"
const { metafile } = await build({
  ...common,
  entryPoints: { operator: 'dist/cli/process.js' },
  format: 'cjs',
  // V8 does not know which module imports when code is loaded from its cache.
  supported: { 'dynamic-import': false },
  outExtension: { '.js': '.cjs' },
  minifyWhitespace: true,
  minifySyntax: true,
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  legalComments: 'none',
  plugins: [edits, operatorOnly],
  define: { 'import.meta.url': 'moduleUrl' },
  banner: { js: `(function (exports, require, module, __filename, __dirname) {"use strict";${moduleUrl}` },
  footer: { js: '})' },
})
if (/[\u0080-\uffff]/.test(readFileSync(operator, 'utf8'))) throw new Error('operator.cjs is not plain ASCII')
writeFileSync(join(root, 'dist/bin/operator.LICENSES.txt'), licenses(Object.keys(metafile.inputs)))
await compile()

/** The licences of the packages in the bundle, which must be passed on with it. */
function licenses(inputs) {
  const names = inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean)
  return [...new Set(names)]
    .sort()
    .map((name) => {
      const folder = join(root, 'node_modules', name)
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
      return `${name} ${version}\n\n${text}\n`
    })
    .join('\n----\n\n')
}

/** Runs the operator with a few hooks in a sandbox: the functions it calls there are those it calls at every start. */
async function compile() {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-compile-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const sandbox = start(['dist/bin/main.js', 'sandbox', '--port', '0', '--nodes', '1', '--kubeconfig', kubeconfig])
  const sandboxEnd = exitOf(sandbox)
  try {
    await Promise.race([firstOutput(sandbox), sandboxEnd.then(() => Promise.reject(new Error('the sandbox ended')))])
    const code = await exitOf(start(['tools/record.mjs', folder, kubeconfig]))
    if (code !== 0) throw new Error(`tools/record.mjs ended with ${code}`)
  } finally {
    sandbox.kill()
    // It removes its kubeconfig before it ends; without the folder it would report an error.
    await sandboxEnd
    rmSync(folder, { recursive: true, force: true })
  }
}

function start(args) {
  return spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
}

function exitOf(child) {
  child.stdout.resume()
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
}

/** The sandbox writes its first line when it can be used. */
function firstOutput(child) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no sandbox within ${sandboxReadyMs} ms`)), sandboxReadyMs)
    child.stdout.once('data', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
