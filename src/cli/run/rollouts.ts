/** The rollouts surface of `carabiner run`, with the user and the rights that it acts with. Loaded only when rollouts are used. */
import type { KubeObject } from '../../kube/index.ts'
import { applyAll, type OperatorSettings, type Surface } from '../../operator/index.ts'
import { userManifests } from '../../operator/manifests/index.ts'
import { bestGate, engineUser, type GateKind, rolloutsSurface } from '../../rollouts/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import type { ConnectedCluster } from '../cluster.ts'
import { gateOptions } from '../gate.ts'
import { refuseInstalledOperator } from '../install/operators.ts'
import { actingAs, untilGranted } from './acting.ts'
import { appliedLine } from './applied.ts'

export interface RolloutsRun {
  readonly settings: OperatorSettings
  readonly install: boolean
  readonly signal: AbortSignal
  /** Prints a line. */
  say(line: string): void
}

export async function actingRollouts(
  cluster: ConnectedCluster,
  runtime: Runtime,
  { settings, install, signal, say }: RolloutsRun,
): Promise<Surface> {
  const { client: installer, isInCluster } = cluster
  if (!isInCluster) await refuseInstalledOperator(installer)
  const gate = settings.gate === 'auto' ? await bestGate(installer) : (settings.gate as GateKind)
  const surface = rolloutsSurface(gateOptions({ ...settings, gate }, { install }))
  const { client, impersonator } = await actingAs(cluster, gate)
  if (impersonator === undefined) return surface
  const { rules } = surface.installation({ user: engineUser })
  if (install) {
    const onApplied = (object: KubeObject) => say(appliedLine(object))
    await applyAll(installer, runtime, userManifests(engineUser, rules), { signal, onApplied })
  }
  await untilGranted(client, runtime.clock, rules, { isNew: install, signal })
  say(`rollouts are managed as user ${engineUser}, which ${impersonator} impersonates: only its writes pass the gate`)
  const own = client.surface(surface.name)
  return {
    ...surface,
    serve: (context) => surface.serve({ ...context, client: own, installer: context.client }),
    start: (context) => surface.start({ ...context, client: own, installer: context.client }),
  }
}
