/** Resolves the options of modules from flags and environment. */
import { resolve } from 'node:path'
import type { ModulesOptions } from '../../addons/modules/index.ts'
import { isObjectName } from '../../kube/index.ts'
import { CarabinerError, type Runtime } from '../../runtime/index.ts'
import type { ClusterOptions } from '../cluster.ts'
import { resolveModuleFlags } from './resolve.ts'

type DocumentPlace = ModulesOptions['place']

/** `namespace` is the namespace of the operator. */
export function moduleSettings(
  place: DocumentPlace,
  flags: Readonly<Record<string, unknown>>,
  { env, log }: Pick<Runtime, 'env' | 'log'>,
  { namespace, cluster }: { readonly namespace: string; readonly cluster: ClusterOptions },
): Pick<ModulesOptions, 'modules' | 'configMap' | 'helm' | 'ignoredRelease'> {
  // --working-dir wins over a variable for the modules folder, but not over the flag.
  const isElsewhere = typeof flags['workingDir'] !== 'string' || flags['modulesDir'] !== undefined
  const { values, given, withoutEffect } = resolveModuleFlags(flags, env)
  for (const { name, reason } of withoutEffect) log.warn(`${name} has no effect`, { reason })
  if (!isObjectName(values.configMap))
    throw new CarabinerError(
      'CRB_SETTING_INVALID',
      `--config-map ${JSON.stringify(values.configMap)} must be the name of a ConfigMap: lower-case letters, digits, - and .`,
    )
  const { kubeconfig, context, server } = cluster
  return {
    modules:
      given.has('modulesDir') && isElsewhere
        ? { dirs: foldersOf(values.modulesDir), unnumbered: values.unnumberedModulesOrder, isOnByDefault: false }
        : { dirs: [`${place.workingDir}/modules`], isOnByDefault: true },
    configMap: { namespace, name: values.configMap },
    ...(values.helmIgnoreRelease === '' ? {} : { ignoredRelease: values.helmIgnoreRelease }),
    helm: {
      program: values.helm,
      namespace,
      historyMax: values.helmHistoryMax,
      timeout: values.helmTimeout,
      ...(kubeconfig === undefined ? {} : { kubeconfig: resolve(kubeconfig) }),
      ...(context === undefined ? {} : { context }),
      ...(server === undefined ? {} : { server }),
    },
  }
}

function foldersOf(text: string): readonly string[] {
  const folders = text.split(':').filter((folder) => folder !== '')
  return folders.map((folder) => resolve(folder))
}
