import { describe, expect, it } from 'vitest'
import { TemplateHashes, templateHash } from './template-hash.ts'

const template = (image: string) => ({ spec: { containers: [{ name: 'web', image }] } })
const object = (generation: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', uid: 'u1', generation },
})

describe('the hash of a template', () => {
  it('does not tell the order of keys or the label of a ReplicaSet', () => {
    const labels = { app: 'web' }
    const plain = templateHash({ metadata: { labels }, ...template('a') })
    const marked = { metadata: { labels: { 'pod-template-hash': 'x', ...labels } }, ...template('a') }
    expect(templateHash(marked)).toBe(plain)
    expect(templateHash(template('b'))).not.toBe(plain)
  })

  it('is made once for every generation of an object', () => {
    const hashes = new TemplateHashes()
    let made = 0
    const read = (image: string) => () => {
      made++
      return template(image)
    }
    const first = hashes.of(object(1), read('a'))
    expect(hashes.of(object(1), read('a'))).toBe(first)
    expect(made).toBe(1)
    expect(hashes.of(object(2), read('b'))).toEqual({ templateHash: templateHash(template('b')) })
    expect(made).toBe(2)
  })

  it('is made again for what was forgotten', () => {
    const hashes = new TemplateHashes()
    for (let generation = 1; generation <= 3000; generation++) hashes.of(object(generation), () => template('a'))
    let made = 0
    const again = () => {
      made++
      return template('a')
    }
    hashes.of(object(3000), again)
    hashes.of(object(1), again)
    expect(made).toBe(1)
  })
})
