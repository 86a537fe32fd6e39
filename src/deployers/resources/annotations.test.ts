import { describe, expect, it } from 'vitest'
import { isAtWork, isFinal } from '../library/phases.ts'
import { annotations, exportKey, finalizer, labels, operations } from './annotations.ts'

describe('the names of the Landscaper contract', () => {
  it('are spelled as in Landscaper [deployers W1 W2 W3 W4 W5 W6]', () => {
    expect({ annotations, labels, finalizer, operations, exportKey }).toEqual({
      annotations: {
        operation: 'landscaper.gardener.cloud/operation',
        reconcileTime: 'landscaper.gardener.cloud/reconcile-time',
        abortTime: 'landscaper.gardener.cloud/abort-time',
        ignore: 'landscaper.gardener.cloud/ignore',
        deleteWithoutUninstall: 'landscaper.gardener.cloud/delete-without-uninstall',
        continuousReconcile: 'continuousreconcile.extensions.landscaper.gardener.cloud/active',
        dependsOn: 'execution.landscaper.gardener.cloud/dependsOn',
        environment: 'landscaper.gardener.cloud/environment',
        deployerOnly: 'landscaper.gardener.cloud/deployer-only',
      },
      labels: {
        managedBy: 'execution.landscaper.gardener.cloud/managed-by',
        managedName: 'execution.landscaper.gardener.cloud/name',
      },
      finalizer: 'finalizer.landscaper.gardener.cloud',
      operations: {
        reconcile: 'reconcile',
        forceReconcile: 'force-reconcile',
        abort: 'abort',
        testReconcile: 'test-reconcile',
      },
      exportKey: 'config',
    })
  })

  it('isFinal and isAtWork classify the phases [deployers W7]', () => {
    const phases = [undefined, 'Init', 'Progressing', 'Deleting', 'Succeeded', 'Failed']
    expect(phases.filter(isAtWork)).toEqual(['Init', 'Progressing', 'Deleting'])
    expect(phases.filter(isFinal)).toEqual(['Succeeded', 'Failed'])
  })
})
