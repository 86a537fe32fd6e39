/** What the engine watches and what it has done, put together into one world of plain data. */
export * from './caches.ts'
export * from './observe.ts'
export * from './packed.ts'
export * from './projections.ts'
export * from './recent-actions.ts'
export * from './world.ts'
