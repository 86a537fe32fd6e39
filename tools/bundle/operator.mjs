/** Bundles the operator in one file, whose compiled code V8 can load (see `src/cli/compiled.ts`). */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { write } from './write.mjs'

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

const moduleUrl = "const moduleUrl = require('node:url').pathToFileURL(__filename).href;"

export async function bundleOperator(root) {
  const metafile = await write(root, {
    entryPoints: { 'bin/operator': 'build/cli/process.js' },
    format: 'cjs',
    // V8 does not know which module imports when code is loaded from its cache.
    supported: { 'dynamic-import': false },
    outExtension: { '.js': '.cjs' },
    minifyWhitespace: true,
    minifySyntax: true,
    keepNames: true,
    sourcemap: 'linked',
    legalComments: 'none',
    plugins: [edits, operatorOnly],
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: `(function (exports, require, module, __filename, __dirname) {"use strict";${moduleUrl}` },
    footer: { js: '})' },
  })
  const operator = readFileSync(join(root, 'dist/bin/operator.cjs'), 'utf8')
  if (/[\u0080-\uffff]/.test(operator)) throw new Error('operator.cjs is not plain ASCII')
  writeFileSync(join(root, 'dist/bin/operator.LICENSES.txt'), licenses(root, Object.keys(metafile.inputs)))
}

/** The licences of the packages in the bundle, which must be passed on with it. */
function licenses(root, inputs) {
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
