/** The record of a rollout: reading and rewriting it, the saved fields, which runs it has. */
export * from './cancel.ts'
export * from './ledger.ts'
export * from './rollout-type.ts'
export * from './saved-fields.ts'
