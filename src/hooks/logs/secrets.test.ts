import { describe, expect, it } from 'vitest'
import { secretsOf, withoutSecrets } from './secrets.ts'

describe('Secrets of a pod', () => {
  it('are found in its environment and its volumes', () => {
    expect(
      secretsOf({
        containers: [
          {
            env: [{ valueFrom: { secretKeyRef: { name: 'one' } } }, {}],
            envFrom: [{ secretRef: { name: 'two' } }, {}],
          },
        ],
        initContainers: [{ env: [{ valueFrom: { secretKeyRef: { name: 'one' } } }] }],
        volumes: [{ secret: { secretName: 'three' } }, { projected: { sources: [{ secret: { name: 'four' } }, {}] } }],
      }),
    ).toEqual(['one', 'two', 'three', 'four'])
  })

  it('are replaced in its log, longest first', () => {
    expect(withoutSecrets('connect db:hunter22@host, key hunter22long', ['hunter22', 'hunter22long'])).toBe(
      'connect db:[redacted]@host, key [redacted]',
    )
  })

  it('are not replaced when they are shorter than 4 characters', () => {
    expect(withoutSecrets('a table of 1000 rows', ['', 'a', '100'])).toBe('a table of 1000 rows')
  })
})
