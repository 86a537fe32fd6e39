/** Errors of cron expressions. The message names the field, its value and what is allowed. */
import { CarabinerError } from '../runtime/index.ts'

export function cronError(expression: string, what: string): CarabinerError {
  return new CarabinerError('CRB_CRON_INVALID', `cron expression ${JSON.stringify(expression)}: ${what}`)
}
