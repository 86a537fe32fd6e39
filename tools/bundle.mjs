/**
 * Bundles what was compiled: the program for all commands in a few files, for loading a few instead of hundreds halves the time to start, and
 * once more in one file for the operator, together with code the engine made of it while it ran (see `src/cli/compiled.ts`).
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const operator = join(root, 'dist/bin/operator.cjs')
const common = { absWorkingDir: root, bundle: true, platform: 'node', logLevel: 'warning', outdir: 'dist/bin' }
const modules = { ...common, format: 'esm', packages: 'external', sourcemap: true }

/** Some packages are loaded part by part through a `require` of one's own, which a bundler does not see. */
const ownRequire = {
  name: 'own require',
  setup: ({ onLoad }) =>
    onLoad({ filter: /runtime\/real\/(undici|metrics)\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/\bload\(/g, 'require('),
    })),
}

/** What HTTP/2 takes, half a megabyte, is loaded with the first connection that speaks it: hooks of the start do not wait for it. */
const lateHttp2 = {
  name: 'late HTTP/2',
  setup: ({ onLoad }) =>
    onLoad({ filter: /undici\/lib\/dispatcher\/client\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8')
      const load = "require('./client-h2.js')"
      if (!contents.includes(`connectH2 = ${load}`)) throw new Error('undici loads HTTP/2 in another way now')
      return { contents: contents.replace(load, `(...given) => ${load}(...given)`) }
    }),
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
  // The engine does not know who imports when code was kept.
  supported: { 'dynamic-import': false },
  outExtension: { '.js': '.cjs' },
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  legalComments: 'none',
  plugins: [ownRequire, lateHttp2, operatorOnly],
  define: { 'import.meta.url': 'moduleUrl' },
  banner: { js: `(function (exports, require, module, __filename, __dirname) {"use strict";${moduleUrl}` },
  footer: { js: '})' },
})
writeFileSync(operator, inAscii(readFileSync(operator, 'utf8')))
writeFileSync(join(root, 'dist/bin/operator.LICENSES.txt'), licenses(Object.keys(metafile.inputs)))
await compile()

/** The bundler escapes what stands in strings, but not in regular expressions. */
function inAscii(text) {
  return text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** What the authors of the packages inside ask to be passed on. */
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

/** Has the operator run a few hooks in a sandbox: what it calls then is what it calls at every start. */
async function compile() {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-compile-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const sandbox = start(['dist/bin/main.js', 'sandbox', '--port', '0', '--nodes', '1', '--kubeconfig', kubeconfig])
  try {
    await until(() => existsSync(kubeconfig))
    const recorder = start(['tools/record.mjs', folder, kubeconfig])
    await new Promise((resolve) => recorder.once('exit', resolve))
  } catch (error) {
    process.stderr.write(`carabiner: left without compiled code, the operator starts slower: ${error.message}\n`)
  } finally {
    sandbox.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

function start(args) {
  return spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function until(isTrue) {
  for (let looks = 0; !isTrue(); looks++) {
    if (looks > 600) throw new Error('no sandbox within 30 s')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
