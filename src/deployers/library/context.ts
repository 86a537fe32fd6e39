/** Builds the context that a deployer's function gets for one call. */
import type { EventInput } from '../../kube/index.ts'
import type { Instant, Logger } from '../../runtime/index.ts'
import type { Context, DeployItem, DeployItemStatus, Target } from '../resources/types.ts'
import type { DeployContext } from './deployer.ts'
import { writeExportSecret } from './export-secret.ts'
import type { DeployerWorld } from './world.ts'

export interface CallInput {
  readonly item: DeployItem
  /** The function may change this status. */
  readonly status: DeployItemStatus
  readonly config: unknown
  readonly target: Target | undefined
  readonly lsContext: Context
  readonly log: Logger
  readonly signal: AbortSignal
  readonly deadline: Instant | undefined
}

/** `persist` writes the current status. */
export function createContext(
  world: DeployerWorld,
  persist: () => Promise<void>,
  material: CallInput,
): DeployContext<unknown> {
  const { client, host, runtime, events, targetClients } = world
  const { item, status, target, signal, log } = material
  const deployItem = { ...item, status }
  const event = (input: EventInput) => events.record(item, input)
  return {
    deployItem,
    config: material.config,
    target,
    lsContext: material.lsContext,
    clients: {
      landscaper: client,
      host,
      target: (kubeconfig) =>
        targetClients.clientFor({ target, kubeconfig, deployItem, landscaper: client, host, runtime, signal }),
    },
    runtime,
    clock: runtime.clock,
    log,
    signal,
    deadline: material.deadline,
    event,
    report(progress) {
      log.info('progress', { progress })
      event({ type: 'Normal', reason: 'Progress', note: progress })
    },
    setProviderStatus(providerStatus) {
      status.providerStatus = providerStatus
    },
    async persist() {
      signal.throwIfAborted()
      await persist()
    },
    async exports(values) {
      signal.throwIfAborted()
      status.exportRef = await writeExportSecret(client, item, values, signal)
    },
  }
}
