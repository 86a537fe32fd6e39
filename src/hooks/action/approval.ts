/** The action that is the decision of a person. */
import type { Schema } from '../../schema/index.ts'

/** Compiled: what is asked, and what follows without a decision. */
export interface ApprovalAction {
  readonly message?: string
  /** @default none */
  readonly timeoutSeconds?: number
  /** What follows when the time is over. @default Fail */
  readonly onTimeout?: 'Approve' | 'Fail'
}

const durationPattern = '^([1-9][0-9]{0,4}h)?([1-9][0-9]{0,6}m)?([1-9][0-9]{0,8}s)?$'

export const approvalSchema: Schema = {
  type: 'object',
  properties: {
    message: { type: 'string', maxLength: 1024 },
    timeout: { type: 'string', minLength: 2, maxLength: 32, pattern: durationPattern },
    onTimeout: { type: 'string', enum: ['Approve', 'Fail'] },
  },
}
