import { describe, expect, it } from 'vitest'
import { authorities, nextChange, renewed, type ServingCertificate, serving } from './certificate.ts'

const day = 24 * 3_600_000
const minute = 60_000

describe('serving certificates', () => {
  let made = 0
  const issue = () => {
    made += 1
    return { ca: `ca ${made}\n`, cert: `cert ${made}`, key: `key ${made}` }
  }
  const renew = (known: readonly ServingCertificate[], now: number) => renewed(known, now, ['gate'], issue) ?? known

  it('serves the first certificate at once', () => {
    const known = renew([], 0)
    expect(serving(known, 0)?.cert).toBe('cert 1')
    expect(renewed(known, 59 * day, ['gate'], issue)).toBeUndefined()
  })

  it('registers the next CA before its certificate is served, and keeps the last one until it expires', () => {
    made = 0
    const first = renew([], 0)
    const both = renew(first, 60 * day)
    expect(authorities(both, 60 * day)).toBe('ca 1\nca 2\n')
    expect(serving(both, 60 * day)?.cert).toBe('cert 1')
    expect(nextChange(both, 60 * day)).toBe(60 * day + 10 * minute)
    expect(serving(both, 60 * day + 10 * minute)?.cert).toBe('cert 2')
    expect(authorities(both, 90 * day)).toBe('ca 2\n')
  })

  it('serves a new certificate at once when all have expired', () => {
    made = 0
    const known = renew(renew([], 0), 400 * day)
    expect(known).toHaveLength(1)
    expect(serving(known, 400 * day)?.cert).toBe('cert 2')
  })

  it('issues a new certificate for other names', () => {
    const known = renewed(renew([], 0), 1, ['elsewhere'], issue)
    expect(known).toMatchObject([{ names: ['elsewhere'], from: 1 }])
  })

  it('checks at least every day', () => {
    expect(nextChange(renew([], 0), 0)).toBe(day)
  })
})
