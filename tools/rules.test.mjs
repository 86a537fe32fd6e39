import { describe, expect, it } from 'vitest'
import { findInProgram as findBooleans } from './rules/booleans.mjs'
import { findInProgram as findHooks } from './rules/hooks.mjs'
import { findInProgram as findSpreads } from './rules/spreads.mjs'

describe('rule on positional booleans', () => {
  const found = (text) => findBooleans('a.ts', text).map(({ key }) => key)

  it('finds booleans beside other parameters, however they are written', () => {
    expect(found('function start(run: Run, isDry: boolean) {}')).toEqual(['a.ts start(isDry)'])
    expect(found('const start = (run: Run, isDry = false) => run')).toEqual(['a.ts start(isDry)'])
    expect(found('interface A { start(run: Run, isDry?: boolean): void }')).toEqual(['a.ts start(isDry)'])
    expect(found('class A { constructor(run: Run, private readonly isDry: boolean | undefined) {} }')).toEqual([
      'a.ts constructor(isDry)',
    ])
  })

  it('allows the only parameter and options objects', () => {
    expect(found('function setPaused(isPaused: boolean) {}')).toEqual([])
    expect(found('function start(run: Run, { isDry }: { isDry: boolean }) {}')).toEqual([])
  })
})

describe('rule on hooks of surfaces', () => {
  const found = (text) => findHooks('a.ts', text).map(({ key }) => key)

  it('finds manifests of Jobs and pods and requests that are sent', () => {
    expect(found("const job = { apiVersion: 'batch/v1', kind: 'Job', spec: {} }")).toEqual([
      'a.ts builds a Job or a pod',
    ])
    expect(found('await runtime.http.request(call)')).toEqual(['a.ts sends HTTP'])
    expect(found('const { request } = runtime.http')).toEqual(['a.ts sends HTTP'])
    expect(found('await client.of(resources.jobs).create(job)')).toEqual(['a.ts creates a Job or a pod'])
  })

  it('allows references to Jobs and what src/hooks answers', () => {
    expect(found("const reference = { kind: 'Job', name }")).toEqual([])
    expect(found('const call = hook.action.http')).toEqual([])
    expect(found('await client.of(resources.jobs).get(name)')).toEqual([])
  })
})

describe('rule on data as arguments', () => {
  const found = (text) => findSpreads('a.ts', text).map(({ line }) => line.split('(')[0])

  it('finds lists that are spread into a call', () => {
    expect(found('list.push(...items)')).toEqual(['a.ts:1: push'])
    expect(found('this.list.unshift(first, ...items.map(String))')).toEqual(['a.ts:1: unshift'])
    expect(found('Math.max(0, ...sizes)\nMath.min(...(isLow ? [1] : sizes))')).toEqual(['a.ts:1: max', 'a.ts:2: min'])
    expect(found('String.fromCharCode(...bytes)')).toEqual(['a.ts:1: fromCharCode'])
    expect(found('list.push(...[1, ...items])')).toEqual(['a.ts:1: push'])
  })

  it('allows lists whose length stands in the code', () => {
    expect(found("list.push(...(isLast ? [']'] : []), ...[1, 2])")).toEqual([])
    expect(found('function add(...items: string[]) { list.push(...items) }')).toEqual([])
    expect(found('function add(items: string[]) { list.push(...items) }')).toEqual(['a.ts:1: push'])
    expect(found('const all = [...items]; list.push({ ...one })')).toEqual([])
  })
})
