/** The Kubernetes client: configuration, client, discovery, caches, queues and what controllers are built from. Runs in a browser too. */
export * from './client/client.ts'
export { type ClientOptions, createClient } from './client/create.ts'
export { defaultRateLimit, type RateLimit } from './client/ratelimit.ts'
export type { Connection, Identity } from './config/connection.ts'
export { type ConnectionOptions, loadConnection } from './config/load.ts'
export * from './controller/index.ts'
export type { Catalog, DiscoveredResource } from './discovery/catalog.ts'
export type { Discovery } from './discovery/discovery.ts'
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
  ResourceNotServed,
} from './errors.ts'
export type { EventInput, EventRecorder } from './events/event.ts'
export { createEventRecorder, type EventRecorderOptions } from './events/recorder.ts'
export * from './kinds/index.ts'
export type { LabelRequirement, LabelSelector } from './label-selector.ts'
export { createLeadership } from './lease/leadership.ts'
export type { Leadership, LeadershipOptions } from './lease/lease.ts'
export { parseManifests, parseYaml, toYaml } from './manifest/index.ts'
export * from './object.ts'
export type { WorkQueue } from './queue/queue.ts'
export type { RateLimits } from './queue/ratelimit.ts'
export { createWorkQueue, type WorkQueueOptions } from './queue/workqueue.ts'
export type { Cache, CacheChange, Reflector, ReflectorOptions } from './reflector/cache.ts'
export { createReflector } from './reflector/reflector.ts'
export { handlerTransport } from './transport/handler.ts'
export type { Transport } from './transport/transport.ts'
