import { describe, expect, it } from 'vitest'
import { asStarted, programNameOf } from './program-name.ts'

const folder = '/work'

it.each([
  ['/usr/bin/carabiner', undefined, 'carabiner'],
  ['/usr/bin/carabiner', 'test', 'carabiner'],
  ['/work/dist/bin/main.js', undefined, 'node dist/bin/main.js'],
  ['/other/dist/bin/main.js', undefined, 'node /other/dist/bin/main.js'],
  ['/work/my dist/main.js', undefined, "node 'my dist/main.js'"],
  ['/work/dist/bin/main.js', 'start', 'npx carabiner'],
  ['/work/node_modules/.bin/carabiner', 'npx', 'npx carabiner'],
  ['/work/node_modules/.bin/carabiner', 'deploy', 'npx carabiner'],
  ['/usr/bin/kubectl-carabiner', undefined, 'kubectl carabiner'],
])('%s started by %s is %s', (file, script, name) => {
  expect(programNameOf({ file, script, folder })).toBe(name)
})

describe('a command in a text', () => {
  const written = (text: string) => asStarted(text, { programName: 'npx carabiner' })

  it('is named as the program was started', () => {
    expect(written('run `carabiner install`, or\ncarabiner rollout retry -n shop web')).toBe(
      'run `npx carabiner install`, or\nnpx carabiner rollout retry -n shop web',
    )
    expect(written('see: carabiner doctor.')).toBe('see: npx carabiner doctor.')
  })

  it.each([
    'npx carabiner up',
    'kubectl carabiner up',
    '/usr/bin/carabiner up',
    'kubectl get pods -n carabiner',
    'carabiner is ready',
    'my-carabiner run',
    'a carabiner running',
  ])('%s stays as it is', (text) => expect(written(text)).toBe(text))

  it('is replaced by the name to the letter', () => {
    expect(asStarted('carabiner up', { programName: 'node /a/$&' })).toBe('node /a/$& up')
  })
})
