/** Public exports of schema: structural OpenAPI v3 schemas, validation, defaults, pruning, and CEL. */
export {
  CelFailure,
  type CelOptions,
  type CelProgram,
  type CelResult,
  compileCel,
  costLimits,
} from './cel/compile.ts'
export { type AccessDecision, type AccessRequest, celAuthorizer } from './cel/library/authorizer.ts'
export { type CelValue, celValue } from './cel/values.ts'
export { applyDefaults } from './defaults.ts'
export { extendSchema } from './extend.ts'
export { describeFieldError, type FieldError, type FieldErrorType, formatFieldError } from './field-error.ts'
export { type Pruned, type PruneOptions, prune } from './prune.ts'
export { readSchema } from './read.ts'
export { compileRegex, type Regex } from './regex/regex.ts'
export { compileRule } from './rules.ts'
export type { GroupVersionKind, Schema, ValidationRule } from './schema.ts'
export { checkStructural } from './structural.ts'
export { type ValidateOptions, validate } from './validate.ts'
