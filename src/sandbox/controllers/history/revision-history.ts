/** Reconciles the ControllerRevisions of an owner: adopts, creates, renumbers and prunes them. */
import { isAlreadyExists, isNotFound, type ResourceType } from '../../../kube/index.ts'
import { type ControllerRevision, type DaemonSet, resources, type StatefulSet } from '../../../kube/kinds/index.ts'
import { claimWrites, decideClaims } from '../claims/controller-refs.ts'
import type { ControllerContext } from '../loop/controller.ts'
import { indexNames } from '../loop/informers.ts'
import { perform } from '../loop/perform.ts'
import { decideRevision, newRevision, sameData, sortedRevisions, surplusRevisions } from './revisions.ts'

export interface Revisions {
  /** Oldest first, including the current one. */
  readonly all: readonly ControllerRevision[]
  /** The revision of the current template. */
  readonly update: ControllerRevision
  readonly collisionCount: number | undefined
}

export class RevisionHistory {
  readonly #context: ControllerContext
  readonly #type: ResourceType

  constructor(context: ControllerContext, ownerType: ResourceType) {
    this.#context = context
    this.#type = ownerType
  }

  async sync(owner: StatefulSet | DaemonSet): Promise<Revisions> {
    const before = sortedRevisions(await this.#claimed(owner))
    const { collisionCount } = owner.status ?? {}
    const step = decideRevision(owner, this.#type, before, collisionCount)
    const handle = this.#context.client.of(resources.controllerRevisions)
    switch (step.do) {
      case 'keep':
        return { all: before, update: step.revision, collisionCount }
      case 'renumber': {
        const update = await handle.update(step.revision)
        const others = before.filter(({ metadata }) => metadata.uid !== update.metadata.uid)
        return { all: [...others, update], update, collisionCount }
      }
      case 'create': {
        const made = await this.#create(owner, step.revision, collisionCount)
        return { all: [...before, made.update], ...made }
      }
    }
  }

  async prune(revisions: Revisions, live: Iterable<string>, limit: number): Promise<void> {
    const handle = this.#context.client.of(resources.controllerRevisions)
    for (const { metadata } of surplusRevisions(revisions.all, new Set(live), limit)) {
      try {
        await handle.delete(metadata.name, { namespace: metadata.namespace ?? '' })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
  }

  async #claimed(owner: StatefulSet | DaemonSet): Promise<readonly ControllerRevision[]> {
    const { client, informers, record } = this.#context
    const cache = informers.of<ControllerRevision>(resources.controllerRevisions)
    const candidates = [
      ...cache.by(indexNames.controller, owner.metadata.uid ?? ''),
      ...cache.by(indexNames.orphans, owner.metadata.namespace ?? ''),
    ]
    const claims = decideClaims(owner, owner.spec.selector, candidates)
    const writes = claimWrites(owner, this.#type, resources.controllerRevisions, { ...claims, released: [] })
    await perform(client, record, { writes, why: 'adopt revisions' })
    return [...claims.kept, ...claims.adopted]
  }

  /** A name taken by another template is a hash collision: collisionCount is increased for another name. */
  async #create(
    owner: StatefulSet | DaemonSet,
    revision: ControllerRevision,
    collisionCount: number | undefined,
  ): Promise<{ readonly update: ControllerRevision; readonly collisionCount: number | undefined }> {
    const handle = this.#context.client.of(resources.controllerRevisions)
    let wanted = revision
    let collisions = collisionCount
    for (;;) {
      try {
        return { update: await handle.create(wanted), collisionCount: collisions }
      } catch (error) {
        if (!isAlreadyExists(error)) throw error
      }
      const { name, namespace = '' } = wanted.metadata
      const existing = await handle.get(name, { namespace })
      if (sameData(existing, wanted)) return { update: existing, collisionCount: collisions }
      collisions = (collisions ?? 0) + 1
      wanted = newRevision(owner, this.#type, revision.revision, collisions)
    }
  }
}
