/** The flags about modules: those of addon-operator that mean something here, in the form of the flags of script hooks. */
import { duration, number, text } from './flags.ts'

export const moduleFlags = {
  modulesDir: text(
    ['ADDON_OPERATOR_MODULES_DIR', 'MODULES_DIR'],
    '',
    'folders of modules, joined with ":", instead of modules of the working directory; in them a module is off unless it is switched on',
  ),
  unnumberedModulesOrder: number(
    'ADDON_OPERATOR_UNNUMBERED_MODULES_ORDER',
    1,
    'order of modules without a number in folders given with --modules-dir',
  ),
  configMap: text('ADDON_OPERATOR_CONFIG_MAP', 'addon-operator', 'ConfigMap with values and flags of modules'),
  helm: text('HELM_BIN', 'helm', 'program that releases charts of modules'),
  helmHistoryMax: number('HELM_HISTORY_MAX', 10, 'revisions of a release that are kept'),
  helmTimeout: duration('HELM_TIMEOUT', 20 * 60_000, 'how long a release may take'),
  helmIgnoreRelease: text(
    'HELM_IGNORE_RELEASE',
    '',
    'release that is never removed, such as that of the operator itself',
  ),
}

/** Variables of addon-operator that nothing comes of. */
export const moduleVariablesWithoutEffect: Readonly<Record<string, string>> = {
  ADDON_OPERATOR_APPLIED_MODULE_EXTENDERS: 'modules are switched by flags and their scripts alone',
  ADDON_OPERATOR_STRICT_CHECK_VALUES_MODE_ENABLED: 'values are not checked against schemas',
  ADDON_OPERATOR_CRD_EXTRA_LABELS: 'definitions of modules are not applied apart from their charts',
  ADDON_OPERATOR_CRD_FILTER_PREFIXES: 'definitions of modules are not applied apart from their charts',
  HELM_MONITOR_KUBE_CLIENT_QPS: 'objects of releases are not watched',
  HELM_MONITOR_KUBE_CLIENT_BURST: 'objects of releases are not watched',
}
