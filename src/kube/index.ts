/** Public face of the Kubernetes client: connection, client, discovery, and what controllers are built from. */
export * from './client/client.ts'
export { type ClientOptions, createClient } from './client/create.ts'
export { defaultRateLimit, type RateLimit } from './client/ratelimit.ts'
export type { Catalog, DiscoveredResource, Discovery } from './discovery/discovery.ts'
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
export * from './object.ts'
export { handlerTransport } from './transport/handler.ts'
export type { Transport } from './transport/transport.ts'
export { resources } from './types.ts'
