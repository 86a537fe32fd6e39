/** Runs a test case: starts a sandbox in virtual time with the deployer, creates the item and compares the result. */
import {
  apiVersion,
  createTargets,
  type Deployer,
  type DeployItem,
  deployersSurface,
  exportKey,
  isFinal,
  kubernetesClusterTarget,
  landscaperResources,
  prepare,
} from '../../../deployers/index.ts'
import { createClient, isNotFound, type KubeClient, type KubeObject } from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import { install } from '../../../operator/index.ts'
import { append, type Json, type Runtime, textFromBase64 } from '../../../runtime/index.ts'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { createSandbox } from '../../../sandbox/index.ts'
import type { DeployerCase, Expectation } from './case.ts'
import { differences } from './difference.ts'

export interface CaseResult {
  /** Empty when the case passes. */
  readonly differences: readonly string[]
  /** Milliseconds of virtual time from the creation of the item until it was final. */
  readonly took: number
}

/** The target for the cluster of the case; it exists in every case. */
const here = 'here'
const pollIntervalMs = 500

export async function runCase(one: DeployerCase, deployers: readonly Deployer[]): Promise<CaseResult> {
  const simulation = createSimulation(1, { maxEvents: Number.POSITIVE_INFINITY })
  const { runtime } = simulation
  let result: CaseResult = { differences: ['the case did not finish'], took: 0 }
  await simulation.run(async () => {
    const ending = new AbortController()
    const sandbox = createSandbox(runtime)
    const client = createClient({ transport: sandbox.transport(), runtime, onWarning: () => {} })
    await sandbox.ready
    const surface = deployersSurface({
      deployers: () => deployers.map((deployer) => ({ deployer })),
      targetClients: () => createTargets(runtime, { allowInCluster: true }),
    })
    await install(client, runtime, [surface], ending.signal)
    const running = await surface.start({ client, runtime, signal: ending.signal })
    await running.ready
    try {
      result = await new CaseRunner(client, runtime, one).run()
    } finally {
      ending.abort()
      await running.stop()
      await sandbox.stop()
    }
  })
  return result
}

class CaseRunner {
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #case: DeployerCase
  readonly #namespace: string

  constructor(client: KubeClient, runtime: Runtime, one: DeployerCase) {
    this.#client = client
    this.#runtime = runtime
    this.#case = one
    this.#namespace = one.given.item.metadata.namespace ?? 'default'
  }

  async run(): Promise<CaseResult> {
    const { given, expect, afterDelete, within } = this.#case
    await this.#prepare()
    const { clock } = this.#runtime
    const startedAt = clock.now()
    await this.#create({ ...given.item, apiVersion, kind: 'DeployItem' } as KubeObject)
    const isOver = (item: DeployItem | undefined) =>
      item !== undefined && isFinal(item.status?.phase) && prepare(item).reason === undefined
    const item = await this.#until(isOver, startedAt + within)
    const took = clock.now() - startedAt
    const found = [...(await this.#compareItem(expect, item)), ...(await this.#compareObjects(expect, 'expect'))]
    if (afterDelete === undefined) return { differences: found, took }
    const { name } = given.item.metadata
    await this.#items.delete(name, { namespace: this.#namespace })
    const left = await this.#until((one) => one === undefined, clock.now() + within)
    const stuck =
      left === undefined ? [] : [`afterDelete: the item still exists: ${left.status?.lastError?.message ?? ''}`]
    return { differences: [...found, ...stuck, ...(await this.#compareObjects(afterDelete, 'afterDelete'))], took }
  }

  get #items() {
    return this.#client.of<DeployItem>(landscaperResources.deployItems)
  }

  async #prepare(): Promise<void> {
    if (this.#namespace !== 'default')
      await this.#create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#namespace } })
    const spec = { type: kubernetesClusterTarget, config: { inCluster: true } }
    await this.#create({ apiVersion, kind: 'Target', metadata: { name: here }, spec } as KubeObject)
    for (const object of this.#case.given.objects ?? []) await this.#create(object)
  }

  async #create(object: KubeObject): Promise<void> {
    const handle = await this.#client.find(object.apiVersion, object.kind)
    const metadata = handle.type.namespaced ? { namespace: this.#namespace, ...object.metadata } : object.metadata
    await handle.apply({ ...object, metadata }, { fieldManager: 'carabiner-test' })
  }

  /** Polls until `holds` or the deadline; returns the item. */
  async #until(holds: (item: DeployItem | undefined) => boolean, end: number): Promise<DeployItem | undefined> {
    const { clock } = this.#runtime
    const { name } = this.#case.given.item.metadata
    for (;;) {
      const item = await orNothing(this.#items.get(name, { namespace: this.#namespace }))
      if (holds(item) || clock.now() >= end) return item
      await clock.sleep(pollIntervalMs)
    }
  }

  async #compareItem(expected: Expectation, item: DeployItem | undefined): Promise<readonly string[]> {
    const { phase, error, providerStatus, exports } = expected
    const status = (item?.status ?? {}) as unknown as Readonly<Record<string, Json>>
    const { lastError } = item?.status ?? {}
    const reason = lastError === undefined ? '' : ` (${lastError.reason}: ${lastError.message})`
    const wrongPhase = phase === undefined ? [] : differences(phase, status['phase'], 'expect.phase')
    const { message, ...rest } = error ?? {}
    const hasMessage = message === undefined || (lastError?.message ?? '').includes(String(message))
    return [
      ...wrongPhase.map((line) => `${line}${reason}`),
      ...differences(rest, (lastError ?? {}) as unknown as Json, 'expect.error'),
      ...(hasMessage
        ? []
        : [
            `expect.error.message: ${JSON.stringify(message)} is not part of ${JSON.stringify(lastError?.message ?? '')}`,
          ]),
      ...(providerStatus === undefined
        ? []
        : differences(providerStatus, status['providerStatus'], 'expect.providerStatus')),
      ...(exports === undefined ? [] : differences(exports, await this.#exports(item), 'expect.exports')),
    ]
  }

  async #exports(item: DeployItem | undefined): Promise<Json | undefined> {
    const { name, namespace = this.#namespace } = item?.status?.exportRef ?? {}
    if (name === undefined) return undefined
    const secret = await this.#client
      .of<KubeObject & { data?: Record<string, string> }>(resources.secrets)
      .get(name, { namespace })
    return JSON.parse(textFromBase64(secret.data?.[exportKey] ?? '')) as Json
  }

  async #compareObjects(
    { objects = [], absent = [] }: Pick<Expectation, 'objects' | 'absent'>,
    path: string,
  ): Promise<readonly string[]> {
    const lines: string[] = []
    for (const [index, expected] of objects.entries()) {
      const found = await this.#find(expected)
      const where = `${path}.objects[${index}]`
      if (found === undefined) lines.push(`${where}: ${expected.kind} ${expected.metadata.name} does not exist`)
      else append(lines, differences(expected as unknown as Json, found as unknown as Json, where))
    }
    for (const [index, unwanted] of absent.entries())
      if ((await this.#find(unwanted)) !== undefined)
        lines.push(`${path}.absent[${index}]: ${unwanted.kind} ${unwanted.metadata.name} exists`)
    return lines
  }

  async #find({ apiVersion: version, kind, metadata }: KubeObject): Promise<KubeObject | undefined> {
    const handle = await this.#client.find(version, kind)
    const namespace = metadata.namespace ?? this.#namespace
    return orNothing(handle.get(metadata.name, handle.type.namespaced ? { namespace } : {}))
  }
}

async function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
