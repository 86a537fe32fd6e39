/**
 * The setup of the acceptance suite: a cluster per file, a namespace per test, and functions that wait by watching
 * instead of sleeping.
 */
import { afterAll, beforeAll, describe } from 'vitest'
import { pollUntil } from './poll-until.ts'
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
  /** A new namespace for this test, with the objects that a cluster creates in every namespace. */
  namespace(): Promise<string>
  create(path: string, body: unknown): Promise<Thing>
  /** Watches an object and returns it once `holds` returns true. */
  until(path: string, holds: (object: Thing) => boolean, seconds?: number): Promise<Thing>
  /** Resolves when the object is deleted. */
  untilGone(path: string, seconds?: number): Promise<void>
  /** Watches a collection and returns its items once `holds` returns true. */
  untilList(path: string, holds: (items: readonly Thing[]) => boolean, seconds?: number): Promise<readonly Thing[]>
}

/** Declares a test block that runs on the cluster under test. */
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
      // The API server refuses pods until the default service account exists; the other objects would appear during the
      // test.
      for (const made of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt'])
        await cluster.until(`/api/v1/namespaces/${name}/${made}`, () => true)
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

/**
 * Lists and watches, and lists again when the server ends the watch, for example when the definition of a custom
 * resource changes.
 */
async function follow(
  target: Target,
  collection: string,
  seconds: number,
  holds: (items: readonly Thing[]) => boolean,
): Promise<readonly Thing[]> {
  const deadline = Date.now() + seconds * 1000
  const items = new Map<string, Thing>()
  for (let left = seconds; left > 0; left = Math.ceil((deadline - Date.now()) / 1000)) {
    const list = await pollUntil(
      collection,
      () => call(target, 'GET', collection),
      ({ status }) => status !== tooEarly,
      left,
    )
    if (list.status !== 200) throw new Error(`GET ${collection}: ${list.status} ${list.body.message}`)
    items.clear()
    for (const item of list.body.items) items.set(item.metadata.uid, item)
    if (holds([...items.values()])) return [...items.values()]
    const joint = collection.includes('?') ? '&' : '?'
    const from = `timeoutSeconds=${left}&resourceVersion=${list.body.metadata.resourceVersion}`
    for await (const { type, object } of eventsOf(target, `${collection}${joint}watch=1&${from}`)) {
      if (type === 'DELETED') items.delete(object.metadata.uid)
      else items.set(object.metadata.uid, object)
      if (holds([...items.values()])) return [...items.values()]
    }
  }
  throw new Error(
    `not within ${seconds} s: ${collection}; last seen:\n${JSON.stringify([...items.values()].map(brief), null, 1)}`,
  )
}

/** The response of a server whose watch cache of a custom resource is not ready. */
const tooEarly = 429
const tooOld = 410

/** Reads events until the server ends the watch; a refusal that a new list resolves also ends it. */
async function* eventsOf(target: Target, watch: string): AsyncGenerator<{ type: string; object: Thing }> {
  const left = new AbortController()
  try {
    for await (const line of stream(target, watch, { signal: left.signal })) {
      const event = JSON.parse(line) as { kind?: string; type: string; object: Thing }
      const refusal =
        event.kind === 'Status' ? (event as unknown as Thing) : event.type === 'ERROR' ? event.object : undefined
      if (refusal === undefined) yield event
      else if (refusal.code === tooEarly || refusal.code === tooOld) return
      else throw new Error(`watch of ${watch}: ${refusal.message}`)
    }
  } finally {
    left.abort()
  }
}

function brief({ metadata, status }: Thing) {
  return { name: metadata.name, labels: metadata.labels, status }
}
