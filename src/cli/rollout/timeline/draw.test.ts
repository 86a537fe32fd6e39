import { expect, it } from 'vitest'
import { paint } from '../../terminal/paint.ts'
import { draw } from './draw.ts'
import type { Bar, Sample } from './timeline.ts'

const sample = (at: number, old: number, fresh: number, more: Partial<Sample> = {}): Sample => ({
  ...{ at, old, oldReady: old, fresh, freshReady: fresh, gate: 'open', replicas: 2 },
  ...more,
})
const bar = (hook: string, from: number, to: number, state: Bar['state'], attempt = 1): Bar => ({
  ...{ hook, point: '0', attempt, from, to, state },
})

it('draws pods, gate and hooks over the same time', () => {
  const text = draw({
    samples: [
      sample(0, 2, 0, { gate: 'closed' }),
      sample(5000, 2, 1, { freshReady: 0, gate: 'held' }),
      sample(10_000, 2, 1, { gate: 'held' }),
      sample(15_000, 1, 1, { oldReady: 0 }),
      sample(18_000, 0, 2),
    ],
    bars: [
      bar('migrate', 0, 2000, 'Failed'),
      bar('migrate', 3000, 4500, 'Succeeded', 2),
      bar('smoke', 10_000, 14_500, 'Succeeded'),
    ],
    length: 20_000,
    hooks: ['migrate', 'smoke', 'tell'],
    columns: 31,
    colour: paint({ isTerminal: false, columns: 31 }),
  })
  expect(text.join('\n')).toBe(
    [
      ' pods 3 │    ░░░░░░░░░░',
      '      2 │░░░░░░░░░░░░░░···███',
      '      1 │░░░░▒▒▒▒▒███████████',
      'gate    │■■■■□□□□□□□□□□',
      'migrate │━━✗━✓',
      'smoke   │          ━━━━✓',
      'tell    │',
      '        └┬─────────┬─────────',
      '         0',
    ].join('\n'),
  )
})
