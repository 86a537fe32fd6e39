import { describe, expect, it } from 'vitest'
import { kebab, resolveSettings } from './settings.ts'

describe('resolveSettings', () => {
  it('flags win over the environment, the environment over the file, the file over the defaults', () => {
    const file = { path: 'c.yaml', content: { leaseName: 'file', listenPort: 1, leaseNamespace: 'file' } }
    const env = { CARABINER_LISTEN_PORT: '2', CARABINER_LEASE_NAME: 'env' }
    const { values, sources } = resolveSettings({ flags: { leaseName: 'flag' }, env, file })
    expect(values).toMatchObject({ leaseName: 'flag', listenPort: 2, leaseNamespace: 'file', leaderElection: true })
    expect(sources).toMatchObject({
      leaseName: 'flag',
      listenPort: 'environment',
      leaseNamespace: 'file',
      leaderElection: 'default',
    })
  })

  it('parses numbers and booleans from text', () => {
    const { values } = resolveSettings({ env: { CARABINER_LEADER_ELECTION: 'false', CARABINER_REQUEST_BURST: '7' } })
    expect(values).toMatchObject({ leaderElection: false, requestBurst: 7 })
    expect(resolveSettings({ flags: { requestsPerSecond: '-1' } }).values.requestsPerSecond).toBe(-1)
  })

  it.each([
    [{ flags: { listenPort: '70000' } }, 'flag --listen-port must be a whole number from 0 to 65535, but is "70000"'],
    [
      { flags: { leaseName: 'A B' } },
      'flag --lease-name must consist of lower-case letters, digits, - and ., start and end with a letter or digit, and have at most 253 characters, but is "A B"',
    ],
    [
      { env: { CARABINER_LEASE_NAMESPACE: 'shop.web' } },
      'environment variable CARABINER_LEASE_NAMESPACE must consist of lower-case letters, digits and -, start and end with a letter or digit, and have at most 63 characters, but is "shop.web"',
    ],
    [{ flags: { gateService: 'ops/' } }, 'flag --gate-service must be NAMESPACE/NAME or none, but is "ops/"'],
    [
      { flags: { gateService: 'ops/My Svc' } },
      'flag --gate-service must be NAMESPACE/NAME or none, but is "ops/My Svc"',
    ],
    [{ flags: { listenPort: 'http' } }, 'flag --listen-port must be a number, but is "http"'],
    [
      { env: { CARABINER_LEADER_ELECTION: 'maybe' } },
      'environment variable CARABINER_LEADER_ELECTION must be a boolean, but is "maybe"',
    ],
    [
      { env: { CARABINER_LOG_LEVEL: 'loud' } },
      'environment variable CARABINER_LOG_LEVEL must be one of debug, info, warn, error, but is "loud"',
    ],
    [{ file: { path: 'c.yaml', content: { requestBurst: 0 } } }, 'c.yaml: requestBurst must be more than 0, but is 0'],
    [
      { flags: { requestsPerSecond: '0' } },
      'flag --requests-per-second must be more than 0, or less than 0 for no limit, but is "0"',
    ],
    [{ file: { path: 'c.yaml', content: { lisenPort: 1 } } }, 'c.yaml: no such setting: lisenPort'],
  ])('an error names the source of an invalid value: %o', (inputs, message) => {
    expect(() => resolveSettings(inputs)).toThrow(expect.objectContaining({ code: 'CRB_SETTING_INVALID', message }))
  })
})

describe('kebab', () => {
  it('converts a setting name to a flag name', () => {
    expect(kebab('requestsPerSecond')).toBe('requests-per-second')
  })
})
