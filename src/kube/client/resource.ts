/** The verbs of one resource type, each turned into one request. */
import type { KubeObject, ResourceType, Status } from '../object.ts'
import type { DeleteOptions, ListOptions, Patch, ResourceClient, WatchOptions, WriteOptions } from './client.ts'
import { collectionPath, homePath, objectPath, withQuery } from './paths.ts'
import type { Call, Requester } from './requester.ts'
import { inObject } from './strip.ts'
import { watchEvents } from './watch.ts'

/** Enough to make a page worth a round trip, few enough to decode without a noticeable pause. */
const pageSize = 500

export function createResourceClient<T extends KubeObject>(
  requester: Requester,
  type: ResourceType,
): ResourceClient<T> {
  return {
    type,
    ...readingVerbs<T>(requester, type),
    ...writingVerbs<T>(requester, type),
    ...deletingVerbs<T>(requester, type),
  }
}

type Verbs<T extends KubeObject, V extends keyof ResourceClient<T>> = Pick<ResourceClient<T>, V>

function readingVerbs<T extends KubeObject>(
  requester: Requester,
  type: ResourceType,
): Verbs<T, 'list' | 'gather' | 'get' | 'pages' | 'watch'> {
  const gather = <V>(keep: (object: T) => V, options: ListOptions = {}) =>
    requester.list<T, V>(
      {
        method: 'GET',
        target: withQuery(collectionPath(type, options.namespace), listQuery(options)),
        omitManagedFields: options.omitManagedFields ?? false,
        signal: options.signal,
      },
      keep,
    )
  const list = (options: ListOptions = {}) => gather((object) => object, options)

  return {
    list,
    gather,

    get: (name, at = {}) =>
      requester.json<T>({
        method: 'GET',
        target: objectPath(type, at.namespace, name, at.subresource),
        ...answerOf(at),
        signal: at.signal,
      }),

    async *pages(options = {}) {
      let token = options.continue
      do {
        const { resourceVersion: _, resourceVersionMatch: __, ...following } = options
        const page = await list({
          ...(token ? following : options),
          limit: options.limit ?? pageSize,
          ...(token ? { continue: token } : {}),
        })
        yield page
        token = page.metadata.continue
      } while (token)
    },

    async *watch(options = {}) {
      const target = withQuery(collectionPath(type, options.namespace), watchQuery(options))
      const answer = await requester.stream({ method: 'GET', target, signal: options.signal })
      yield* watchEvents<T>(answer.body, target, options)
    },
  }
}

function writingVerbs<T extends KubeObject>(
  requester: Requester,
  type: ResourceType,
): Verbs<T, 'create' | 'update' | 'patch' | 'apply'> {
  return {
    create(object, options = {}) {
      const { namespace, name } = object.metadata
      const path = options.subresource
        ? objectPath(type, namespace, name, options.subresource)
        : homePath(type, namespace, name ?? object.metadata.generateName)
      return requester.json<T>({
        method: 'POST',
        target: withQuery(path, writeQuery(options)),
        body: object,
        ...answerOf(options),
        signal: options.signal,
      })
    },

    update: (object, options = {}) =>
      requester.json<T>({
        method: 'PUT',
        target: withQuery(
          objectPath(type, object.metadata.namespace, object.metadata.name, options.subresource),
          writeQuery(options),
        ),
        body: object,
        ...answerOf(options),
        signal: options.signal,
      }),

    patch: (name, patch, options = {}) =>
      requester.json<T>({
        method: 'PATCH',
        target: withQuery(objectPath(type, options.namespace, name, options.subresource), writeQuery(options)),
        body: patch.type === 'json' ? patch.operations : patch.value,
        contentType: patchTypes[patch.type],
        ...answerOf(options),
        signal: options.signal,
      }),

    apply: (object, options) =>
      requester.json<T>({
        method: 'PATCH',
        target: withQuery(objectPath(type, object.metadata.namespace, object.metadata.name, options.subresource), {
          ...writeQuery(options),
          force: options.force ? true : undefined,
        }),
        body: object,
        contentType: 'application/apply-patch+yaml',
        ...answerOf(options),
        signal: options.signal,
      }),
  }
}

function deletingVerbs<T extends KubeObject>(
  requester: Requester,
  type: ResourceType,
): Verbs<T, 'delete' | 'deleteCollection'> {
  return {
    delete: (name, options = {}) =>
      requester.json<T | Status>({
        method: 'DELETE',
        target: objectPath(type, options.namespace, name),
        body: deleteBody(options),
        signal: options.signal,
      }),

    async deleteCollection(options = {}) {
      await requester.json({
        method: 'DELETE',
        target: withQuery(collectionPath(type, options.namespace), listQuery(options)),
        body: deleteBody(options),
        signal: options.signal,
      })
    },
  }
}

const patchTypes: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

function listQuery(options: ListOptions) {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  }
}

function watchQuery(options: WatchOptions) {
  return {
    watch: true,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    // The server requires the match when initial events are requested.
    resourceVersionMatch: options.sendInitialEvents === undefined ? undefined : 'NotOlderThan',
    sendInitialEvents: options.sendInitialEvents,
    allowWatchBookmarks: options.allowBookmarks,
    timeoutSeconds: options.timeoutSeconds,
  }
}

function writeQuery(options: WriteOptions) {
  return {
    dryRun: options.dryRun ? 'All' : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
  }
}

/** A server that cannot return metadata alone returns the whole object. */
const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json'

function answerOf({ answer }: Pick<WriteOptions, 'answer'>): Pick<Call, 'accept' | 'stripped'> {
  if (answer === undefined) return {}
  return answer === 'metadata' ? { accept: metadataOnly, stripped: inObject } : { accept: metadataOnly }
}

function deleteBody(options: DeleteOptions): object {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    gracePeriodSeconds: options.gracePeriodSeconds,
    propagationPolicy: options.propagationPolicy,
    preconditions: options.preconditions,
    dryRun: options.dryRun ? ['All'] : undefined,
  }
}
