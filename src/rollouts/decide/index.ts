/** From a world to a situation, and from a situation to a decision. Pure. */
export * from './classify-rollout.ts'
export * from './decide.ts'
export * from './decision.ts'
export * from './recorded.ts'
export * from './requests.ts'
export * from './situation.ts'
export * from './target-world.ts'
