import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { environment, folders } from './paths.ts'
import { initScript, waitScript } from './scripts.ts'

/** Stores the secrets it creates as folders, and reports that the container ended with code 0. */
const kubectl = `#!/bin/sh
if [ "$1" = get ]; then printf 0; exit; fi
shift 3
folder="$SECRETS/$1"
shift
mkdir -p "$folder"
for pair in "$@"; do
  pair=\${pair#--from-file=}
  cp "\${pair#*=}" "$folder/\${pair%%=*}"
done
`

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'carabiner-phases-'))
  mkdirSync(join(root, 'bin'))
  writeFileSync(join(root, 'bin/kubectl'), kubectl)
  chmodSync(join(root, 'bin/kubectl'), 0o755)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (path: string) => path.replaceAll('/data/ls', root)

function run(script: string): void {
  const env: Record<string, string> = {
    PATH: `${root}/bin:/usr/bin:/bin`,
    POD: 'p',
    RUN: 'run',
    SECRETS: `${root}/secrets`,
  }
  for (const { name, value } of environment('RECONCILE')) env[name] = at(value)
  execFileSync('sh', ['-c', at(script)], { env })
}

function give(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, 'internal', path, '..'), { recursive: true })
    writeFileSync(join(root, 'internal', path), content)
  }
}

it('init lays out the input and restores the state that wait stored in chunks', () => {
  give({ 'import.json': '{"a":1}', 'component_descriptor.json': '{}', 'content/charts/a.yaml': 'x' })
  run(initScript)
  expect(readFileSync(join(root, 'shared/imports/import.json'), 'utf8')).toBe('{"a":1}')
  expect(readFileSync(join(root, 'shared/content/charts/a.yaml'), 'utf8')).toBe('x')
  expect(existsSync(join(root, 'shared/component_descriptor.json'))).toBe(true)
  expect(readdirSync(join(root, 'shared/state'))).toEqual([])

  // Large enough for several secrets, in a subfolder, and incompressible.
  const bytes = randomBytes(2_000_000)
  mkdirSync(join(root, 'shared/state/deep'))
  writeFileSync(join(root, 'shared/state/deep/state.bin'), bytes)
  writeFileSync(join(root, 'shared/exports/values'), '{"b":2}')
  run(waitScript)
  const chunks = readFileSync(join(root, 'secrets/run-result/chunks'), 'utf8').trim().split(' ')
  expect(chunks).toEqual(['run-aaaa', 'run-aaab', 'run-aaac'])
  expect(readFileSync(join(root, 'secrets/run-result/config'), 'utf8')).toBe('{"b":2}')

  // As mounted in the pod of the next run.
  rmSync(join(root, 'shared'), { recursive: true })
  mkdirSync(at(folders.chunks))
  for (const [index, name] of chunks.entries()) {
    const chunk = readFileSync(join(root, 'secrets', name, 'chunk'))
    expect(chunk.length).toBeLessThan(786_432)
    writeFileSync(join(at(folders.chunks), String(index).padStart(6, '0')), chunk)
  }
  run(initScript)
  expect(readFileSync(join(root, 'shared/state/deep/state.bin')).equals(bytes)).toBe(true)
})

it('wait creates a result secret even without exports and state', () => {
  give({ 'import.json': '{}' })
  run(initScript)
  run(waitScript)
  expect(readdirSync(join(root, 'secrets/run-result'))).toEqual(['chunks'])
})
