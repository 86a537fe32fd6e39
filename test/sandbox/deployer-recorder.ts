/** A deployer for contract tests that records its calls. */
import { type DeployContext, type DeployerDefinition, defineDeployer } from '../../src/deployers/library/deployer.ts'
import { itemType, type Stage } from './deployers.ts'

export const statusWrite = 'PUT deployitems/thing/status'
export const metadataWrite = 'PATCH deployitems/thing'

/** A deployer that records its calls and runs the given functions. */
export function recorder(more: Partial<DeployerDefinition> = {}) {
  const calls: string[] = []
  const seen: DeployContext[] = []
  const recorded = (name: string, run: DeployerDefinition['reconcile'] = () => undefined) => {
    const noted: DeployerDefinition['reconcile'] = (context) => {
      calls.push(name)
      seen.push(context)
      return run(context)
    }
    return noted
  }
  const deployer = defineDeployer({
    type: itemType,
    name: 'things',
    version: 'v1',
    ...more,
    reconcile: recorded('reconcile', more.reconcile),
    delete: recorded('delete', more.delete),
    abort: recorded('abort', more.abort),
    forceReconcile: recorded('forceReconcile', more.forceReconcile),
  })
  return { deployer, calls, seen }
}

export async function succeeded(stage: Stage): Promise<void> {
  await stage.item()
  await stage.untilPhase('Succeeded')
  stage.writes()
}
