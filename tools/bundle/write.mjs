/** Bundles and writes the files with maps of lines. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { build } from 'esbuild'
import { lineMap } from './line-map.mjs'

/** Returns the metafile. The names of functions and classes stay as they are, for stack traces. */
export async function write(root, options) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    logLevel: 'warning',
    outdir: 'dist',
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    write: false,
    ...options,
  })
  for (const { path, text, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, path.endsWith('.map') ? lineMap(text) : contents)
  }
  return metafile
}
