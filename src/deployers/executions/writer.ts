/** Carries out a decision about an execution, one write after the other. The status comes last and refers to the triggered items. */
import {
  type ApiError,
  isAlreadyExists,
  isForbidden,
  isInvalid,
  isNamespaceEnding,
  isNotFound,
  isOverQuota,
  type KubeClient,
  type KubeObject,
} from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { equal } from '../../patch/index.ts'
import { type Instant, type Json, textFromBase64 } from '../../runtime/index.ts'
import { LandscaperError } from '../library/errors.ts'
import { writeExportSecret } from '../library/export-secret.ts'
import { operationOf } from '../library/phases.ts'
import { exportKey, operations } from '../resources/annotations.ts'
import {
  type DeployItem,
  type DeployItemTemplate,
  type Execution,
  type ExecutionStatus,
  landscaperResources,
} from '../resources/types.ts'
import type { ExecutionDecision } from './decide.ts'
import { itemFrom } from './item.ts'
import { nameOf } from './order.ts'
import { isTriggered, stateOf } from './state.ts'

/** The execution has changed since the decision. */
export class StaleExecution extends Error {}

/** The reason of a refusal that passes when quota becomes free. */
export const quotaExceededReason = 'QuotaExceeded'

export class ExecutionWriter {
  readonly #client: KubeClient
  readonly #signal: AbortSignal

  constructor(client: KubeClient, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
  }

  /** Returns the execution as it was written; undefined when it was not written. */
  async perform(execution: Execution, decision: ExecutionDecision, now: Instant): Promise<Execution | undefined> {
    for (const { item, values } of decision.annotate ?? []) await this.#annotate(item, values)
    for (const item of decision.removeItems ?? []) await this.#remove(item)
    const triggered: DeployItem[] = []
    const { trigger = [], operation = operations.reconcile } = decision
    // An item created for a deleted execution would be installed without an owner.
    if (trigger.length > 0 && !(await this.#isCurrent(execution))) throw new StaleExecution()
    try {
      for (const template of trigger) triggered.push(await this.#trigger(execution, template, operation, now))
    } catch (error) {
      // Record the triggered items, or they are triggered again when their run is over.
      if (triggered.length > 0 && decision.status !== undefined)
        await this.#writeStatus(execution, withRefs(execution, decision.status, triggered))
      throw error
    }
    let current = execution
    if (decision.status !== undefined) {
      const exported = decision.collect === undefined ? {} : await this.#export(execution, decision.collect)
      current = await this.#writeStatus(execution, { ...withRefs(execution, decision.status, triggered), ...exported })
    }
    current = await this.#writeMetadata(current, decision)
    return current === execution ? undefined : current
  }

  async #isCurrent({ metadata }: Execution): Promise<boolean> {
    const handle = this.#client.of<Execution>(landscaperResources.executions)
    const found = await this.#ifFound(handle.get(metadata.name, this.#at(metadata.namespace)))
    return found?.metadata.resourceVersion === metadata.resourceVersion
  }

  async #annotate({ metadata }: DeployItem, annotations: Readonly<Record<string, string>>): Promise<void> {
    // Safe without a version: the operation requested here does not depend on the item's state.
    const value = { metadata: { annotations } }
    await this.#ifFound(this.#items().patch(metadata.name, { type: 'merge', value }, this.#at(metadata.namespace)))
  }

  async #remove({ metadata }: DeployItem): Promise<void> {
    const { uid, namespace, name } = metadata
    const preconditions = uid === undefined ? {} : { preconditions: { uid } }
    await this.#ifFound(this.#items().delete(name, { ...this.#at(namespace), ...preconditions }))
  }

  /** Creates or updates the item; either requests a run from its deployer. */
  async #trigger(
    execution: Execution,
    template: DeployItemTemplate,
    operation: string,
    now: Instant,
  ): Promise<DeployItem> {
    const item = itemFrom(execution, template, operation, now)
    try {
      return await this.#items().create(item, { signal: this.#signal })
    } catch (error) {
      // The namespace is terminating, so the execution is deleted next.
      if (isNamespaceEnding(error)) throw error
      if (isInvalid(error) || isForbidden(error)) throw refusalError(template, error)
      if (!isAlreadyExists(error)) throw error
    }
    const found = await this.#items().get(item.metadata.name, this.#at(item.metadata.namespace))
    // The cache is stale, or a crash came before the status write: the run requested earlier is enough.
    const isRequested = operation === operations.reconcile ? isTriggered(found) : operationOf(found) === operation
    const isUpToDate = isRequested && equal(plain(found.spec), plain(item.spec))
    if (isUpToDate || stateOf(execution, template.name, found) !== 'outdated') return found
    const { labels, annotations, ownerReferences } = found.metadata
    return await this.#items().update(
      {
        ...found,
        metadata: {
          ...found.metadata,
          labels: { ...labels, ...item.metadata.labels },
          annotations: { ...annotations, ...item.metadata.annotations },
          ownerReferences: ownerReferences ?? item.metadata.ownerReferences ?? [],
        },
        spec: item.spec,
      },
      { signal: this.#signal },
    )
  }

  /** Writes the exports of all items, by template name, into one secret. */
  async #export(execution: Execution, items: readonly DeployItem[]): Promise<Pick<ExecutionStatus, 'exportRef'>> {
    const values: Record<string, Json> = {}
    for (const item of items) {
      const exported = await this.#exportedBy(item)
      if (exported !== undefined) values[nameOf(item)] = exported
    }
    if (Object.keys(values).length === 0) return {}
    return { exportRef: await writeExportSecret(this.#client, execution, values, this.#signal) }
  }

  async #exportedBy({ metadata, status }: DeployItem): Promise<Json | undefined> {
    const ref = status?.exportRef
    if (ref === undefined) return undefined
    const namespace = ref.namespace ?? metadata.namespace
    const secret = (await this.#client.of(resources.secrets).get(ref.name, this.#at(namespace))) as KubeObject & {
      readonly data?: Readonly<Record<string, string>>
    }
    try {
      return JSON.parse(textFromBase64(secret.data?.[exportKey] ?? '')) as Json
    } catch (error) {
      // Do not quote the content: exports can contain credentials.
      const message = `the export secret ${ref.name} of item ${metadata.name} has no valid JSON under the key ${exportKey}`
      throw new LandscaperError('CollectExports', 'InvalidExport', message, {
        cause: error instanceof SyntaxError ? undefined : error,
      })
    }
  }

  async #writeStatus(execution: Execution, status: ExecutionStatus): Promise<Execution> {
    if (equal(plain(execution.status ?? {}), plain(status))) return execution
    const handle = this.#client.of<Execution>(landscaperResources.executions)
    return await handle.update({ ...execution, status }, { subresource: 'status', signal: this.#signal })
  }

  async #writeMetadata(execution: Execution, decision: ExecutionDecision): Promise<Execution> {
    const { metadata } = execution
    const { remove = [], mark = {}, finalizers } = decision
    const gone = remove.filter((name) => metadata.annotations?.[name] !== undefined)
    if (gone.length === 0 && finalizers === undefined) return execution
    const value = {
      metadata: {
        resourceVersion: metadata.resourceVersion,
        annotations: { ...Object.fromEntries(gone.map((name) => [name, null])), ...mark },
        ...(finalizers === undefined ? {} : { finalizers }),
      },
    }
    const handle = this.#client.of<Execution>(landscaperResources.executions)
    const patched = await this.#ifFound(
      handle.patch(metadata.name, { type: 'merge', value }, this.#at(metadata.namespace)),
    )
    return patched ?? execution
  }

  async #ifFound<T>(write: Promise<T>): Promise<T | undefined> {
    try {
      return await write
    } catch (error) {
      if (!isNotFound(error)) throw error
      return undefined
    }
  }

  #items() {
    return this.#client.of<DeployItem>(landscaperResources.deployItems)
  }

  #at(namespace: string | undefined) {
    return { ...(namespace === undefined ? {} : { namespace }), signal: this.#signal }
  }
}

function refusalError({ name }: DeployItemTemplate, error: ApiError): LandscaperError {
  const message = `deploy item ${name}: ${error.message}`
  if (isOverQuota(error)) return new LandscaperError('CreateDeployItem', quotaExceededReason, message, { cause: error })
  return new LandscaperError('CreateDeployItem', 'ItemRefused', message, {
    codes: [isInvalid(error) ? 'ERR_CONFIGURATION_PROBLEM' : 'ERR_UNAUTHORIZED'],
    cause: error,
  })
}

function withRefs({ metadata }: Execution, status: ExecutionStatus, triggered: readonly DeployItem[]): ExecutionStatus {
  if (triggered.length === 0) return status
  const names = new Set(triggered.map(nameOf))
  const others = <T extends { name: string }>(entries: readonly T[] = []) =>
    entries.filter(({ name }) => !names.has(name))
  return {
    ...status,
    deployItemRefs: [
      ...others(status.deployItemRefs),
      ...triggered.map((item) => {
        const { name, namespace = '', generation = 1 } = item.metadata
        return { name: nameOf(item), ref: { name, namespace, observedGeneration: generation } }
      }),
    ],
    execGenerations: [
      ...others(status.execGenerations),
      ...triggered.map((item) => ({ name: nameOf(item), observedGeneration: metadata.generation ?? 0 })),
    ],
  }
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}
