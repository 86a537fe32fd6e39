/** Carries decisions out. */
export * from './engine-deps.ts'
export * from './perform.ts'
export * from './written.ts'
