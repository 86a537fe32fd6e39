/** A deployer that notes how it was called, for tests of the contract. */
import { type DeployContext, type DeployerDefinition, defineDeployer } from '../../src/deployers/library/deployer.ts'
import { itemType, type Stage } from './deployers.ts'

export const statusWrite = 'PUT deployitems/thing/status'
export const metadataWrite = 'PATCH deployitems/thing'

/** A deployer that notes how it was called, and does what it is told on top. */
export function recorder(more: Partial<DeployerDefinition> = {}) {
  const calls: string[] = []
  const seen: DeployContext[] = []
  const note = (name: string, run: DeployerDefinition['reconcile'] = () => undefined) => {
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
    reconcile: note('reconcile', more.reconcile),
    delete: note('delete', more.delete),
    abort: note('abort', more.abort),
    forceReconcile: note('forceReconcile', more.forceReconcile),
  })
  return { deployer, calls, seen }
}

export async function succeeded(stage: Stage): Promise<void> {
  await stage.item()
  await stage.untilPhase('Succeeded')
  stage.writes()
}
