import { expect, it } from 'vitest'
import { programNameOf } from './program-name.ts'

it.each([
  ['/usr/bin/carabiner', undefined, 'carabiner'],
  ['/work/dist/bin/main.js', 'test', 'carabiner'],
  ['/work/dist/bin/main.js', 'start', 'npx carabiner'],
  ['/work/node_modules/.bin/carabiner', 'npx', 'npx carabiner'],
  ['/usr/bin/kubectl-carabiner', undefined, 'kubectl carabiner'],
])('%s started by %s is %s', (file, script, name) => {
  expect(programNameOf(file, script)).toBe(name)
})
