/** The flags of addon-operator for modules that have an effect here. */
import { duration, number, text } from './flags.ts'

export const moduleFlags = {
  modulesDir: text(
    ['ADDON_OPERATOR_MODULES_DIR', 'MODULES_DIR'],
    '',
    'folders of modules, separated by ":", instead of modules in the working directory; modules in them are disabled by default',
  ),
  unnumberedModulesOrder: number(
    'ADDON_OPERATOR_UNNUMBERED_MODULES_ORDER',
    1,
    'order of modules without a number in the folders of --modules-dir',
  ),
  configMap: text(
    'ADDON_OPERATOR_CONFIG_MAP',
    'addon-operator',
    'ConfigMap with the values of modules and which of them are enabled',
  ),
  helm: text('HELM_BIN', 'helm', 'path of the helm program'),
  helmHistoryMax: number('HELM_HISTORY_MAX', 10, 'maximum number of revisions kept per release'),
  helmTimeout: duration('HELM_TIMEOUT', 20 * 60_000, 'timeout of a helm operation'),
  helmIgnoreRelease: text(
    'HELM_IGNORE_RELEASE',
    '',
    'release that is never uninstalled, for example the release of the operator itself',
  ),
}

/** Variables of addon-operator that have no effect. */
export const moduleVariablesWithoutEffect: Readonly<Record<string, string>> = {
  ADDON_OPERATOR_APPLIED_MODULE_EXTENDERS: 'only values and enabled scripts enable modules',
  ADDON_OPERATOR_STRICT_CHECK_VALUES_MODE_ENABLED: 'values are not checked against schemas',
  ADDON_OPERATOR_CRD_EXTRA_LABELS: 'CRDs of modules are applied only with their charts',
  ADDON_OPERATOR_CRD_FILTER_PREFIXES: 'CRDs of modules are applied only with their charts',
  HELM_MONITOR_KUBE_CLIENT_QPS: 'objects of releases are not watched',
  HELM_MONITOR_KUBE_CLIENT_BURST: 'objects of releases are not watched',
}
