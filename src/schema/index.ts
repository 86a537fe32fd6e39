/** The entrance of the room for other rooms: what the package publishes as `carabiner/schema`, and what only other rooms use. */

export { explainFieldError } from './field-error.ts'
export * from './public.ts'
