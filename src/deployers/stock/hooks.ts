/** The hooks of every stock deployer: continuous reconciliation. */
import { continuousReconcileSetup } from '../hooks/continuous.ts'
import { ReconcileExtensionHooks } from '../hooks/registry.ts'

export function stockHooks(): ReconcileExtensionHooks {
  return new ReconcileExtensionHooks().registerHookSetup(continuousReconcileSetup())
}
