/** The provider status of the container deployer, which keeps the state of an item's runs between calls. */
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import type { DeployContext } from '../../library/deployer.ts'
import { containerGroup } from './configuration.ts'
import type { Operation } from './paths.ts'

export interface Recorded {
  /** The secrets that contain the state of the item. */
  readonly state: readonly string[]
  readonly podName: string | undefined
  /** The run that is recorded as finished. */
  readonly finished: string | undefined
}

/**
 * The names of pods and of the secrets with state, as this deployer makes them. Others may write the status of an item, and must not choose
 * which secrets of the namespace are mounted and deleted.
 */
const podPattern = /^[a-z0-9-]+-(reconcile|delete)-[0-9a-f]{10}-1$/
const chunkName = /^[a-z0-9-]+-(reconcile|delete)-[0-9a-f]{10}-1-[a-z]{4}$/

export function readRecord(providerStatus: Json | undefined): Recorded {
  const { state, finished, podStatus: pod } = isJsonObject(providerStatus) ? providerStatus : {}
  const podName = isJsonObject(pod) ? pod['podName'] : undefined
  return {
    state: Array.isArray(state) ? state.filter((one) => typeof one === 'string' && chunkName.test(one)) : [],
    podName: typeof podName === 'string' && podPattern.test(podName) ? podName : undefined,
    finished: typeof finished === 'string' ? finished : undefined,
  }
}

export interface Entry {
  readonly operation: Operation
  readonly pod: Json
  readonly state: readonly string[]
  readonly finished?: string
}

export function writeRecord(context: DeployContext, { operation, pod, state, finished }: Entry): void {
  context.setProviderStatus({
    apiVersion: `${containerGroup}/v1alpha1`,
    kind: 'ProviderStatus',
    lastOperation: operation,
    podStatus: pod,
    ...(state.length === 0 ? {} : { state }),
    ...(finished === undefined ? {} : { finished }),
  })
}
