/**
 * Watches pods and Jobs and finds pods of a new revision that were created before their hook succeeded. The order is that of resource
 * versions, which one API server assigns in order, so no clock is needed.
 */
import type { KubeClient, KubeObject, ResourceType } from '../../src/kube/index.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { revisionLabel } from '../../src/rollouts/labels.ts'

interface Seen {
  readonly revision: string
  readonly version: number
}

type Job = KubeObject & { readonly status?: { readonly conditions?: readonly { type: string; status: string }[] } }

export class PodRecorder {
  readonly #pods = new Map<string, Seen & { readonly name: string }>()
  readonly #passed = new Map<string, number>()
  readonly #known = new Set<string>()
  readonly #ending = new AbortController()
  #watching: Promise<void>[] = []

  /** Starts the watches; pods of revisions that already have pods are ignored. */
  async begin(client: KubeClient, namespace: string): Promise<void> {
    const pods = await client.of(resources.pods).list({ namespace })
    for (const pod of pods.items) this.#known.add(revisionOf(pod))
    const jobs = await client.of<Job>(resources.jobs).list({ namespace })
    this.#watching = [
      this.#follow(client, resources.pods, namespace, pods.metadata.resourceVersion, (pod) => this.#seePod(pod)),
      this.#follow(client, resources.jobs, namespace, jobs.metadata.resourceVersion, (job) => this.#seeJob(job)),
    ]
  }

  async end(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#watching)
  }

  /** The number of pods of new revisions, and those created before their hook succeeded. */
  result(): { readonly pods: number; readonly hooks: number; readonly leaked: readonly string[] } {
    const ofNewRevisions = [...this.#pods.values()].filter(({ revision }) => !this.#known.has(revision))
    const leaked = ofNewRevisions.filter(
      ({ revision, version }) => version < (this.#passed.get(revision) ?? Number.POSITIVE_INFINITY),
    )
    return { pods: ofNewRevisions.length, hooks: this.#passed.size, leaked: leaked.map(({ name }) => name) }
  }

  async #follow(
    client: KubeClient,
    type: ResourceType,
    namespace: string,
    from: string | undefined,
    see: (object: KubeObject) => void,
  ): Promise<void> {
    let resourceVersion = from ?? '0'
    const { signal } = this.#ending
    while (!signal.aborted) {
      try {
        for await (const event of client.of(type).watch({ namespace, resourceVersion, signal })) {
          if (event.type === 'ERROR')
            throw new Error(`the watch missed events, so the result would be incomplete: ${event.object.message}`)
          resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion
          if (event.type !== 'BOOKMARK') see(event.object)
        }
      } catch (error) {
        if (!signal.aborted) throw error
      }
    }
  }

  #seePod(pod: KubeObject): void {
    const { uid = '', name, labels = {}, resourceVersion } = pod.metadata
    if (labels[revisionLabel] !== undefined || this.#pods.has(uid)) return
    const revision = revisionOf(pod)
    if (revision !== '') this.#pods.set(uid, { name, revision, version: Number(resourceVersion) })
  }

  #seeJob(job: Job): void {
    const revision = job.metadata.labels?.[revisionLabel]
    const isDone = job.status?.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True') ?? false
    if (!isDone || revision === undefined || this.#passed.has(revision)) return
    this.#passed.set(revision, Number(job.metadata.resourceVersion))
  }
}

/** The name of the revision as in the labels of hooks; empty for pods without a workload. */
function revisionOf({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  const hash = metadata.labels?.['controller-revision-hash'] ?? ''
  if (owner?.kind === 'ReplicaSet') return owner.name
  if (owner?.kind === 'StatefulSet') return hash
  return owner?.kind === 'DaemonSet' ? `${owner.name}-${hash}` : ''
}
