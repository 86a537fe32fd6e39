/** The entrance of the room for other rooms: what the package publishes as `carabiner/jq`, and what only other rooms use. */
export * from './public.ts'
export { toPlain } from './values/plain.ts'
