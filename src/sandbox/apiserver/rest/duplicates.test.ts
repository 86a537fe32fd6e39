import { describe, expect, it } from 'vitest'
import { TestCluster } from '../testing/cluster.ts'
import { duplicateFields } from './duplicates.ts'

describe('duplicate fields', () => {
  it('are named with their path', () => {
    expect(duplicateFields('{"a":1,"b":{"a":1,"c":[{"d":"}","d":2},{"d":"\\"d\\":"}]},"a":{"x":1}}')).toEqual([
      'b.c[0].d',
      'a',
    ])
    expect(duplicateFields('{"a":{"x":1},"b":{"x":1},"c":["x","x"],"d":""}')).toEqual([])
  })

  it('are warned of, refused or ignored like unknown ones', async () => {
    const cluster = new TestCluster()
    const configMaps = '/api/v1/namespaces/default/configmaps'
    const body = '{"metadata":{"name":"a"},"data":{"x":"1","x":"2"}}'
    const strict = await cluster.post(`${configMaps}?fieldValidation=Strict`, body)
    expect(strict.at('message')).toContain('strict decoding error: duplicate field "data.x"')
    const warned = await cluster.post(configMaps, body)
    expect([warned.headers['warning'], warned.at('data', 'x')]).toEqual(['299 - "duplicate field \\"data.x\\""', '2'])
    const quiet = await cluster.call('PUT', `${configMaps}/a?fieldValidation=Ignore`, body)
    expect([quiet.status, quiet.headers['warning']]).toEqual([200, undefined])
  })
})
