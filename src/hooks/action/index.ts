/** What a hook does: for each kind of action one schema, which the surfaces' resources use, and one compiled form, which its executor takes. */
export { type ApprovalAction, approvalSchema } from './approval.ts'
export type { FunctionAction } from './function.ts'
export { type HttpCall, type HttpHeader, httpSchema } from './http.ts'
export { jobAction, jobSchema, type ObjectAction, type ObjectDetails, podAction, podSchema } from './object.ts'
export { type ProcessAction, processSchema } from './process.ts'
