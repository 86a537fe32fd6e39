import { describe, expect, it } from 'vitest'
import { layoutOf, withListenVariables } from '../run/scripts.ts'
import { scriptFlags } from './flags.ts'
import { resolveScripts, scriptFlagOptions } from './resolve.ts'

describe('the flags of script hooks', () => {
  it('[addons Y1] a flag wins over the environment, the environment over the default', () => {
    const env = { VALIDATING_WEBHOOK_LISTEN_PORT: '9000', LOG_LEVEL: 'DEBUG' }
    const resolved = resolveScripts({ validatingWebhookListenPort: '9001' }, env)
    expect(resolved.values).toMatchObject({ validatingWebhookListenPort: 9001, logLevel: 'debug', listenPort: 9115 })
    expect([...resolved.given]).toEqual(['validatingWebhookListenPort', 'logLevel'])
    expect(resolveScripts({}, env).values.validatingWebhookListenPort).toBe(9000)
  })

  it('[addons Y2] have the defaults of shell-operator', () => {
    expect(resolveScripts({}, {}).values).toMatchObject({
      hooksDir: 'hooks',
      tmpDir: '/tmp/shell-operator',
      listenAddress: '0.0.0.0',
      listenPort: 9115,
      prometheusMetricsPrefix: 'shell_operator_',
      namespace: '',
      validatingWebhookConfigurationName: 'shell-operator-hooks',
      validatingWebhookServiceName: 'shell-operator-validating-svc',
      validatingWebhookServerCert: '/validating-certs/tls.crt',
      validatingWebhookServerKey: '/validating-certs/tls.key',
      validatingWebhookCa: '/validating-certs/ca.crt',
      validatingWebhookClientCa: '',
      validatingWebhookFailurePolicy: 'Fail',
      validatingWebhookListenPort: 9680,
      validatingWebhookListenAddress: '0.0.0.0',
      conversionWebhookServiceName: 'shell-operator-conversion-svc',
      conversionWebhookServerCert: '/conversion-certs/tls.crt',
      conversionWebhookListenPort: 9681,
      logLevel: 'info',
      logType: 'text',
      logNoTime: false,
      logProxyHookJson: false,
      debugKeepTmpFiles: false,
    })
  })

  it('[addons Y4] read the variables of both operators', () => {
    expect(resolveScripts({}, { ADDON_OPERATOR_TMP_DIR: '/t', ADDON_OPERATOR_NAMESPACE: 'ops' }).values).toMatchObject({
      tmpDir: '/t',
      namespace: 'ops',
    })
    expect(withListenVariables({ ADDON_OPERATOR_LISTEN_PORT: '1', CARABINER_LISTEN_ADDRESS: 'a' })).toMatchObject({
      CARABINER_LISTEN_PORT: '1',
      CARABINER_LISTEN_ADDRESS: 'a',
    })
  })

  it('[addons Y3] accept yes, no and durations, and name invalid values', () => {
    expect(resolveScripts({ debugKeepTmpFiles: true, hookTimeout: '90s' }, { LOG_NO_TIME: 'no' }).values).toMatchObject(
      {
        debugKeepTmpFiles: true,
        hookTimeout: 90_000,
        logNoTime: false,
      },
    )
    expect(() => resolveScripts({}, { VALIDATING_WEBHOOK_FAILURE_POLICY: 'Maybe' })).toThrow(
      'environment variable VALIDATING_WEBHOOK_FAILURE_POLICY must be Fail or Ignore, but is "Maybe"',
    )
    for (const kubeClientQps of ['0', '-0', '-', 'none'])
      expect(() => resolveScripts({ kubeClientQps }, {})).toThrow(
        `flag --kube-client-qps must be a number above 0, or below 0 for no limit, but is "${kubeClientQps}"`,
      )
    for (const KUBE_CLIENT_BURST of ['0', '-1'])
      expect(() => resolveScripts({}, { KUBE_CLIENT_BURST })).toThrow(
        `environment variable KUBE_CLIENT_BURST must be a number above 0, but is "${KUBE_CLIENT_BURST}"`,
      )
    expect(() => resolveScripts({ listenPort: '-1' }, {})).toThrow('flag --listen-port must be a number, but is "-1"')
    const level = scriptFlagOptions('shell-operator').find(({ long }) => long === '--log-level')
    expect(level?.description).toContain('debug, info, warn, error')
  })

  it('[addons Y3] a negative rate means no limit, as in client-go', () => {
    expect(resolveScripts({ kubeClientQps: '-1' }, {}).values.kubeClientQps).toBe(-1)
    const { withoutEffect } = resolveScripts(
      {},
      { OBJECT_PATCHER_KUBE_CLIENT_QPS: '-1', OBJECT_PATCHER_KUBE_CLIENT_BURST: '-1' },
    )
    expect(withoutEffect).toHaveLength(2)
  })

  it('[addons Z14] without effect are reported only when they are set', () => {
    expect(resolveScripts({}, {}).withoutEffect).toEqual([])
    const { withoutEffect } = resolveScripts({ objectPatcherKubeClientTimeout: '5s' }, { QUEUE_ACTIONS_METRICS: 'no' })
    expect(withoutEffect.map(({ name }) => name)).toEqual([
      'flag --object-patcher-kube-client-timeout',
      'environment variable QUEUE_ACTIONS_METRICS',
    ])
  })

  it('[addons Y2] for client CAs may be repeated', () => {
    const option = scriptFlagOptions('run').find(({ long }) => long === '--validating-webhook-client-ca')
    expect(option?.parseArg?.('b', option.parseArg('a', undefined) as unknown as undefined)).toBe('a,b')
  })

  it('all have a meaning or a reason why they have no effect', () => {
    for (const { meaning, withoutEffect } of Object.values(scriptFlags))
      expect(meaning === '').toBe(withoutEffect !== undefined)
  })
})

describe('the layout of hooks', () => {
  const env = { ADDON_OPERATOR_WORKING_DIR: '/env' }

  it('[addons D1] the working directory is the flag, the variable or /addons', () => {
    expect(layoutOf({ workingDir: true }, {})).toEqual({ layout: 'document', workingDir: '/addons' })
    expect(layoutOf({}, env)).toEqual({ layout: 'document', workingDir: '/env' })
    expect(layoutOf({ workingDir: true }, env)).toEqual({ layout: 'document', workingDir: '/env' })
    expect(layoutOf({ workingDir: '/flag' }, env)).toEqual({ layout: 'document', workingDir: '/flag' })
  })

  it('[addons Z5] the folder of global hooks is the flag or either spelling of the variable', () => {
    const shared = { layout: 'document', workingDir: '/addons', globalHooksDir: '/shared' }
    expect(layoutOf({}, { GLOBAL_HOOKS_DIR: '/shared' })).toEqual(shared)
    expect(layoutOf({}, { ADDON_OPERATOR_GLOBAL_HOOKS_DIR: '/shared', GLOBAL_HOOKS_DIR: '/other' })).toEqual(shared)
    expect(layoutOf({ globalHooksDir: '/shared' }, { GLOBAL_HOOKS_DIR: '/other' })).toEqual(shared)
    expect(layoutOf({ globalHooksDir: '/shared' }, env)).toEqual({ ...shared, workingDir: '/env' })
    expect(layoutOf({ workingDir: '/flag' }, { GLOBAL_HOOKS_DIR: '/other' })).toEqual({
      layout: 'document',
      workingDir: '/flag',
    })
    expect(layoutOf({}, { GLOBAL_HOOKS_DIR: '', SHELL_OPERATOR_HOOKS_DIR: '' })).toBeUndefined()
  })

  it('a flag wins over the variable of the other operator', () => {
    expect(layoutOf({ hooksDir: '/hooks' }, env)).toEqual({ layout: 'folder', hooksDir: '/hooks' })
    expect(layoutOf({}, { SHELL_OPERATOR_HOOKS_DIR: '/h' })).toEqual({ layout: 'folder', hooksDir: '/h' })
    expect(layoutOf({}, {})).toBeUndefined()
    expect(() => layoutOf({ hooksDir: '/a', workingDir: '/b' }, {})).toThrow('exclude each other')
  })
})
