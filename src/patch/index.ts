/** The entrance of the room for other rooms: what the package publishes as `carabiner/patch`, and what only other rooms use. */

export { PatchedDocument } from './document.ts'
export { brief, kindOf, member, setMember } from './members.ts'
export { readOperation } from './operation.ts'
export * from './public.ts'
