/** Public face of the schema room: structural OpenAPI v3 schemas, and what a value looks like under one. */
export { applyDefaults } from './defaults.ts'
export { describeFieldError, type FieldError, type FieldErrorType, formatFieldError } from './field-error.ts'
export { type Pruned, type PruneOptions, prune } from './prune.ts'
export { compileRegex, type Regex } from './regex/regex.ts'
export type { GroupVersionKind, Schema, ValidationRule } from './schema.ts'
export { type ValidateOptions, validate } from './validate.ts'
