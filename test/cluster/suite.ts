/**
 * What every file of the acceptance suite starts with: a cluster for the file, a namespace for each test, and ways to wait that
 * watch instead of sleeping.
 */
import { afterAll, beforeAll, describe } from 'vitest'
import {
  type Answer,
  type CallOptions,
  call,
  openTarget,
  reasonToSkip,
  stream,
  type Target,
  type Thing,
} from './target.ts'

export interface Cluster {
  readonly target: Target
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** A fresh namespace of this test's own. */
  namespace(): Promise<string>
  create(path: string, body: unknown): Promise<Thing>
  /** The object once `holds` is true of it; follows it by watching. */
  until(path: string, holds: (object: Thing) => boolean, seconds?: number): Promise<Thing>
  /** Resolves when the object is gone. */
  untilGone(path: string, seconds?: number): Promise<void>
  /** The list once `holds` is true of its items; follows the collection by watching. */
  untilList(path: string, holds: (items: readonly Thing[]) => boolean, seconds?: number): Promise<readonly Thing[]>
}

/** Declares a block of tests that run on the cluster under test. */
export function onCluster(title: string, tests: (cluster: Cluster) => void): void {
  const reason = reasonToSkip()
  describe.skipIf(reason !== undefined)(reason === undefined ? title : `${title} (skipped: ${reason})`, () => {
    let target: Target | undefined
    beforeAll(async () => {
      target = await openTarget()
    })
    afterAll(() => target?.stop())
    tests(
      clusterOver(() => {
        if (target === undefined) throw new Error('the cluster is not up yet')
        return target
      }),
    )
  })
}

let namespaces = 0

function clusterOver(target: () => Target): Cluster {
  const cluster: Cluster = {
    get target() {
      return target()
    },
    call: (method, path, options) => call(target(), method, path, options),
    async namespace() {
      const name = `suite-${process.pid}-${++namespaces}`
      await cluster.create('/api/v1/namespaces', { metadata: { name } })
      // Pods are refused until the namespace has its default service account.
      await cluster.until(`/api/v1/namespaces/${name}/serviceaccounts/default`, () => true)
      return name
    },
    async create(path, body) {
      const answer = await cluster.call('POST', path, { body })
      if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body.message}`)
      return answer.body
    },
    async until(path, holds, seconds = 60) {
      const split = path.lastIndexOf('/')
      const [collection, name] = [path.slice(0, split), path.slice(split + 1)]
      const items = await follow(target(), `${collection}?fieldSelector=metadata.name%3D${name}`, seconds, (found) => {
        const object = found[0]
        return object !== undefined && holds(object)
      })
      return items[0] as Thing
    },
    async untilGone(path, seconds = 60) {
      const split = path.lastIndexOf('/')
      const selector = `fieldSelector=metadata.name%3D${path.slice(split + 1)}`
      await follow(target(), `${path.slice(0, split)}?${selector}`, seconds, (found) => found.length === 0)
    },
    untilList: (path, holds, seconds = 60) => follow(target(), path, seconds, holds),
  }
  return cluster
}

async function follow(
  target: Target,
  collection: string,
  seconds: number,
  holds: (items: readonly Thing[]) => boolean,
): Promise<readonly Thing[]> {
  const list = await call(target, 'GET', collection)
  if (list.status !== 200) throw new Error(`GET ${collection}: ${list.status} ${list.body.message}`)
  const items = new Map(list.body.items.map((item) => [item.metadata.uid, item]))
  if (holds([...items.values()])) return [...items.values()]
  const joint = collection.includes('?') ? '&' : '?'
  const watch = `${collection}${joint}watch=1&timeoutSeconds=${seconds}&resourceVersion=${list.body.metadata.resourceVersion}`
  const left = new AbortController()
  try {
    for await (const line of stream(target, watch, { signal: left.signal })) {
      const event = JSON.parse(line) as { type: string; object: Thing }
      if (event.type === 'ERROR') throw new Error(`watch of ${collection}: ${event.object.message}`)
      if (event.type === 'DELETED') items.delete(event.object.metadata.uid)
      else items.set(event.object.metadata.uid, event.object)
      if (holds([...items.values()])) return [...items.values()]
    }
  } finally {
    left.abort()
  }
  throw new Error(
    `not within ${seconds} s: ${collection}; last seen:\n${JSON.stringify([...items.values()].map(brief), null, 1)}`,
  )
}

function brief({ metadata, status }: Thing) {
  return { name: metadata.name, labels: metadata.labels, status }
}
