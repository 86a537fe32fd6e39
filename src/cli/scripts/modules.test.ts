import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { kebab } from '../../operator/settings.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { layoutOf } from '../run/scripts.ts'
import { moduleFlags } from './module-flags.ts'
import { moduleSettings } from './modules.ts'
import { moduleFlagOptions } from './resolve.ts'

const place = { layout: 'document', workingDir: '/addons' } as const
const here = { namespace: 'ops', cluster: {} }

function settings(flags: Readonly<Record<string, unknown>>, env: Readonly<Record<string, string>> = {}) {
  const { runtime } = createSimulation(1)
  return moduleSettings(place, flags, { env, log: runtime.log }, here)
}

describe('the flags of modules', () => {
  it('[addons D7] modules are in the working directory and enabled by default', () => {
    expect(settings({ workingDir: '/addons' })).toEqual({
      modules: { dirs: ['/addons/modules'], isOnByDefault: true },
      configMap: { namespace: 'ops', name: 'addon-operator' },
      helm: { program: 'helm', namespace: 'ops', historyMax: 10, timeout: 1_200_000 },
    })
  })

  it('[addons Z5] MODULES_DIR is read in both spellings; its modules are disabled by default', () => {
    const elsewhere = { dirs: ['/a', '/b'], unnumbered: 1, isOnByDefault: false }
    expect(settings({}, { MODULES_DIR: '/a:/b' }).modules).toEqual(elsewhere)
    expect(settings({}, { ADDON_OPERATOR_MODULES_DIR: '/a:/b', MODULES_DIR: '/c' }).modules).toEqual(elsewhere)
    expect(settings({ modulesDir: '/a:/b' }, { MODULES_DIR: '/c' }).modules).toEqual(elsewhere)
    expect(layoutOf({}, { MODULES_DIR: '/a' })).toEqual(place)
    expect(layoutOf({ modulesDir: '/a' }, {})).toEqual(place)
    // --working-dir wins over the variable.
    expect(settings({ workingDir: '/addons' }, { MODULES_DIR: '/c' }).modules.dirs).toEqual(['/addons/modules'])
  })

  it('[addons Z4] the ignored release and the options of helm', () => {
    const env = { HELM_IGNORE_RELEASE: 'operator', HELM_TIMEOUT: '5m', HELM_HISTORY_MAX: '3', HELM_BIN: '/bin/helm' }
    expect(settings({}, env)).toMatchObject({
      helm: { program: '/bin/helm', namespace: 'ops', historyMax: 3, timeout: 300_000 },
      ignoredRelease: 'operator',
    })
    expect(() => settings({}, { HELM_TIMEOUT: 'soon' })).toThrow('environment variable HELM_TIMEOUT must be a duration')
  })

  it.each(['', 'A_B'])('reject an invalid ConfigMap name: %j', (configMap) => {
    expect(() => settings({ configMap })).toThrow(`--config-map ${JSON.stringify(configMap)} must be the name`)
  })

  it('[addons Z14] warn of variables without effect', () => {
    const simulation = createSimulation(1)
    const env = { ADDON_OPERATOR_APPLIED_MODULE_EXTENDERS: 'x' }
    moduleSettings(place, {}, { env, log: simulation.runtime.log }, here)
    expect(simulation.logs.map(({ message }) => message)).toEqual([
      'environment variable ADDON_OPERATOR_APPLIED_MODULE_EXTENDERS has no effect',
    ])
  })

  it('are all in the guide with their variables', () => {
    const guide = readFileSync(new URL('../../../docs/guides/converge-modules.md', import.meta.url), 'utf8')
    for (const [name, { env }] of Object.entries(moduleFlags)) {
      const row = guide.split('\n').find((line) => line.startsWith(`| \`--${kebab(name)}\` |`))
      for (const variable of env) expect(row).toContain(`\`${variable}\``)
    }
  })

  it('show their defaults in the form of the command line', () => {
    const timeout = moduleFlagOptions().find(({ long }) => long === '--helm-timeout')
    expect(timeout?.description).toBe('timeout of a helm operation (env: HELM_TIMEOUT, default: 1200s)')
  })
})
