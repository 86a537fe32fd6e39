/** The entrance of the room for other rooms: what the package publishes as `carabiner/sandbox`, and what only other rooms use. */

export { annotationPrefix, duration } from './nodes/simulate/behaviour.ts'
export * from './public.ts'
