import { describe, expect, it } from 'vitest'
import { RenderCache } from './render-cache.ts'

const chart = (length: number) => ({ desired: [], scope: {}, length })

describe('RenderCache', () => {
  it('returns the rendered chart of the same run only', () => {
    const cache = new RenderCache(100)
    const rendered = chart(10)
    cache.set('a', '1', rendered)
    expect(cache.get('a', '1')).toBe(rendered)
    expect(cache.get('a', '2')).toBeUndefined()
    cache.delete('a')
    expect(cache.get('a', '1')).toBeUndefined()
  })

  it('drops the least recently set charts when it is full', () => {
    const cache = new RenderCache(100)
    for (const uid of ['a', 'b', 'c']) cache.set(uid, '1', chart(30))
    cache.set('a', '1', chart(30))
    cache.set('d', '1', chart(40))
    expect(['a', 'b', 'c', 'd'].filter((uid) => cache.get(uid, '1') !== undefined)).toEqual(['a', 'c', 'd'])
  })

  it('replaces the chart of an item without counting it twice, and does not keep one that is too large', () => {
    const cache = new RenderCache(100)
    cache.set('a', '1', chart(60))
    cache.set('a', '2', chart(60))
    cache.set('b', '1', chart(40))
    cache.set('c', '1', chart(101))
    expect(['a', 'b', 'c'].map((uid) => cache.get(uid, uid === 'a' ? '2' : '1')?.length)).toEqual([60, 40, undefined])
  })
})
