/** The entrance of the room for other rooms: what the package publishes as `carabiner/deployers`, and what only other rooms use. */
export * from './public.ts'
