/** The mock deployer: does nothing in any cluster and ends as its configuration says, for tests. */
import { isNotFound, secondTime } from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import type { Json } from '../../../runtime/index.ts'
import { type DeployContext, type Deployer, defineDeployer, type Outcome } from '../../library/deployer.ts'
import type { Condition, DeployItemPhase, EmbeddedResource } from '../../resources/types.ts'
import { decodeConfiguration } from '../configuration/decode.ts'
import { anything, continuousReconcile, object } from '../configuration/schemas.ts'
import { stockHooks } from '../hooks.ts'

export const mockType = 'landscaper.gardener.cloud/mock'
const mockGroup = 'mock.deployer.landscaper.gardener.cloud'

const phase = { type: 'string', enum: ['Init', 'Progressing', 'Deleting', 'Succeeded', 'Failed'] }

const schemas = {
  v1alpha1: object({
    phase,
    initialPhase: phase,
    providerStatus: { type: 'object', ...anything },
    export: { type: 'object', ...anything },
    continuousReconcile,
  }),
}

interface MockConfiguration {
  readonly phase?: DeployItemPhase
  readonly initialPhase?: DeployItemPhase
  readonly providerStatus?: EmbeddedResource
  readonly export?: Readonly<Record<string, Json>>
}

/** Requeue delay of an item that is configured not to end. */
const requeueMs = 60_000

export function mockDeployer(): Deployer {
  return defineDeployer({ type: mockType, name: mockGroup, reconcile, delete: deleteExports, hooks: stockHooks() })
}

async function reconcile(context: DeployContext): Promise<Outcome | undefined> {
  const config = validated(context)
  const { status } = context.deployItem
  if (config.providerStatus !== undefined) context.setProviderStatus(config.providerStatus)
  if (config.export !== undefined) await context.exports(config.export)
  const configuredPhase = config.phase ?? config.initialPhase
  if (configuredPhase === undefined) return undefined
  status.phase = configuredPhase
  return configuredPhase === 'Succeeded' || configuredPhase === 'Failed'
    ? undefined
    : { unfinished: true, requeueAfterMs: requeueMs }
}

function validated(context: DeployContext): MockConfiguration {
  const { status } = context.deployItem
  const time = secondTime(context.clock.now())
  const condition = (state: 'True' | 'False', reason: string, message: string) => {
    const others = (status.conditions ?? []).filter(({ type }) => type !== 'DeployItemValidation')
    const before = status.conditions?.find(({ type }) => type === 'DeployItemValidation')
    const same = before?.status === state && before.message === message
    const next: Condition = {
      type: 'DeployItemValidation',
      status: state,
      reason,
      message,
      lastTransitionTime: before?.status === state ? before.lastTransitionTime : time,
      lastUpdateTime: time,
    }
    status.conditions = [...others, same ? before : next]
  }
  try {
    const { config } = decodeConfiguration(context.config, mockGroup, schemas)
    condition('True', 'ConfigurationValid', 'the provider configuration is valid')
    return config as unknown as MockConfiguration
  } catch (error) {
    condition('False', 'ConfigurationProblem', error instanceof Error ? error.message : String(error))
    throw error
  }
}

/** Deletes the export secret before the item is gone, without waiting for garbage collection. */
async function deleteExports({ clients, deployItem, signal }: DeployContext): Promise<undefined> {
  const { exportRef } = deployItem.status
  if (exportRef === undefined) return
  const { namespace = '' } = deployItem.metadata
  try {
    await clients.landscaper.of(resources.secrets).delete(exportRef.name, { namespace, signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
