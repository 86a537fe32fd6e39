import { describe, expect, it } from 'vitest'
import type { Container, Pod } from '../../../kube/kinds/index.ts'
import { behaviourOf, duration } from './behaviour.ts'

const defaults = { startDelay: 100, readyDelay: 200, runFor: 300, stopDelay: 0 }
const main: Container = { name: 'main' }

function pod(annotations: Record<string, string>, restartPolicy = 'Always'): Pod {
  const prefixed = Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [`sandbox.carabiner.dev/${name}`, value]),
  )
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', annotations: prefixed },
    spec: { containers: [main], initContainers: [{ name: 'init' }], restartPolicy },
  }
}

describe('durations', () => {
  it.each([
    ['250ms', 250],
    ['1.5s', 1500],
    ['1h30m', 5_400_000],
    ['90', 90_000],
    ['soon', undefined],
    ['', undefined],
  ])('%s is %s milliseconds', (text, expected) => {
    expect(duration(text)).toBe(expected)
  })
})

describe('the behaviour of a container', () => {
  it('is to run until stopped, unless its pod is expected to end', () => {
    expect(behaviourOf(pod({}), main, 0, defaults).runFor).toBeUndefined()
    expect(behaviourOf(pod({}, 'Never'), main, 0, defaults).runFor).toBe(300)
    expect(behaviourOf(pod({}), { name: 'init' }, 0, defaults).runFor).toBe(300)
    expect(behaviourOf(pod({ 'run-for': 'forever' }, 'Never'), main, 0, defaults).runFor).toBeUndefined()
    expect(behaviourOf(pod({ 'exit-code': '1' }), main, 0, defaults).runFor).toBe(300)
  })

  it('can be set per container and per attempt', () => {
    const one = pod({ 'exit-code': '3,0', 'init.exit-code': '9', 'main.ready-delay': 'never' })
    expect([0, 1, 2].map((attempt) => behaviourOf(one, main, attempt, defaults).exitCode)).toEqual([3, 0, 0])
    expect(behaviourOf(one, { name: 'init' }, 0, defaults)).toMatchObject({ exitCode: 9, readyDelay: 200 })
    expect(behaviourOf(one, main, 0, defaults).readyDelay).toBeUndefined()
  })

  it('is overridden by the script', () => {
    const script = () => ({ exitCode: 5 })
    expect(behaviourOf(pod({ 'exit-code': '1' }), main, 0, defaults, script)).toMatchObject({
      exitCode: 5,
      startDelay: 100,
    })
  })
})
