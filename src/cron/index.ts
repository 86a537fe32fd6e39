/** The entrance of the room for other rooms: what the package publishes as `carabiner/cron`, and what only other rooms use. */

export { parseDuration } from './duration.ts'
export * from './public.ts'
