/** The words of the contract on the wire: annotations, labels, finalizers. Nothing here may ever be spelled differently. */

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

/** Values of the operation annotation; `test-reconcile` is what newer landscapers call `reconcile`. */
export const operations = {
  reconcile: 'reconcile',
  forceReconcile: 'force-reconcile',
  abort: 'abort',
  testReconcile: 'test-reconcile',
} as const

/** The key of an export secret whose value is the exported JSON. */
export const exportKey = 'config'
