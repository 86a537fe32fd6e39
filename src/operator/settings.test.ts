import { describe, expect, it } from 'vitest'
import { kebab, resolveSettings } from './settings.ts'

describe('resolveSettings', () => {
  it('takes flags before the environment, that before the file, that before defaults', () => {
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

  it('reads numbers and choices from text', () => {
    const { values } = resolveSettings({ env: { CARABINER_LEADER_ELECTION: 'false', CARABINER_REQUEST_BURST: '7' } })
    expect(values).toMatchObject({ leaderElection: false, requestBurst: 7 })
    expect(resolveSettings({ flags: { requestsPerSecond: '-1' } }).values.requestsPerSecond).toBe(-1)
  })

  it.each([
    [{ flags: { listenPort: '70000' } }, 'flag --listen-port must be a whole number from 0 to 65535, but is "70000"'],
    [
      { flags: { leaseName: 'A B' } },
      'flag --lease-name must be small letters, digits, - and ., a letter or digit first and last, at most 253, but is "A B"',
    ],
    [
      { env: { CARABINER_LEASE_NAMESPACE: 'shop.web' } },
      'environment variable CARABINER_LEASE_NAMESPACE must be small letters, digits and -, a letter or digit first and last, at most 63, but is "shop.web"',
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
  ])('says where a bad value comes from: %o', (inputs, message) => {
    expect(() => resolveSettings(inputs)).toThrow(expect.objectContaining({ code: 'CRB_SETTING_INVALID', message }))
  })
})

describe('kebab', () => {
  it('writes names as flags', () => {
    expect(kebab('requestsPerSecond')).toBe('requests-per-second')
  })
})
