/** What every stock deployer does besides its work: it reconciles items again and again when they say so. */
import { continuousReconcileSetup } from '../hooks/continuous.ts'
import { ReconcileExtensionHooks } from '../hooks/registry.ts'

export function stockHooks(): ReconcileExtensionHooks {
  return new ReconcileExtensionHooks().registerHookSetup(continuousReconcileSetup())
}
