/**
 * Writes `dist`, the files of the package, from the compiled modules in `build`: the entries and all commands with the parts they share, because
 * loading a few files instead of hundreds takes a fraction of the time; the operator in one file; and the types of the entries.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollUp } from './bundle/declarations.mjs'
import { entries } from './bundle/entries.mjs'
import { bundleOperator } from './bundle/operator.mjs'
import { write } from './bundle/write.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = { format: 'esm', packages: 'external' }
const inputs = Object.entries(entries).map(([name, module]) => [name, `build/${module}.js`])

await write(root, {
  ...modules,
  entryPoints: Object.fromEntries([...inputs, ['bin/process', 'build/cli/process.js']]),
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
})
await write(root, {
  ...modules,
  entryPoints: { 'bin/main': 'build/cli/main.js', 'bin/compile': 'build/cli/compile/main.js' },
  external: ['./process.js'],
})
await bundleOperator(root)
rollUp(join(root, 'build'), entries, join(root, 'dist'))
