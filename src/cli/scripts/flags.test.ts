import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { kebab } from '../../operator/settings.ts'
import { scriptFlags, variablesWithoutEffect } from './flags.ts'

it('[addons Y7] the reference page lists every flag with its variables and no other', () => {
  const page = readFileSync(new URL('../../../docs/reference/shell-operator-flags.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `--') || line.startsWith('| | '))
  const rowsOfPage = rows.map((row) => row.split('|').slice(1, 3).join('').replaceAll('`', '').trim().split(/\s+/))
  expect(rowsOfPage).toEqual([
    ...Object.entries(scriptFlags).map(([name, { env }]) => [`--${kebab(name)}`, ...env]),
    ...Object.keys(variablesWithoutEffect).map((name) => [name]),
    ['--debug-unix-socket', 'DEBUG_UNIX_SOCKET'],
  ])
})
