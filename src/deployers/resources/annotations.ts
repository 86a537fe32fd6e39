/** Annotation, label and finalizer names of the Landscaper contract. They must be spelled as in Landscaper. */

export const annotations = {
  operation: 'landscaper.gardener.cloud/operation',
  reconcileTime: 'landscaper.gardener.cloud/reconcile-time',
  abortTime: 'landscaper.gardener.cloud/abort-time',
  ignore: 'landscaper.gardener.cloud/ignore',
  deleteWithoutUninstall: 'landscaper.gardener.cloud/delete-without-uninstall',
  continuousReconcile: 'continuousreconcile.extensions.landscaper.gardener.cloud/active',
  dependsOn: 'execution.landscaper.gardener.cloud/dependsOn',
  environment: 'landscaper.gardener.cloud/environment',
  deployerOnly: 'landscaper.gardener.cloud/deployer-only',
} as const

export const labels = {
  managedBy: 'execution.landscaper.gardener.cloud/managed-by',
  managedName: 'execution.landscaper.gardener.cloud/name',
} as const

export const finalizer = 'finalizer.landscaper.gardener.cloud'

/** Values of the operation annotation; newer Landscapers write `test-reconcile` for `reconcile`. */
export const operations = {
  reconcile: 'reconcile',
  forceReconcile: 'force-reconcile',
  abort: 'abort',
  testReconcile: 'test-reconcile',
} as const

/** The key of the exported JSON in an export secret. */
export const exportKey = 'config'
