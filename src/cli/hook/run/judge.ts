/** Whether the operator, too, would say that the run succeeded: its metrics must agree, and who was asked must have answered. */
import { HookMetrics } from '../../../addons/scripts/metrics/registry.ts'
import { failed } from '../../../addons/scripts/run/result.ts'
import type { RunResult } from '../../../addons/scripts/run/types.ts'
import { admissionAnswer, conversionAnswer } from '../../../addons/scripts/webhooks/answers.ts'

/** What of a binding context says that somebody waits for an answer. */
interface Question {
  readonly type?: string
  readonly review?: { readonly request?: { readonly objects?: readonly unknown[] } }
}

/** `contexts`: JSON text of what the hook was told. */
export function judged(hook: string, result: RunResult, contexts: string): RunResult {
  if (result.failure !== undefined) return result
  const errors = new HookMetrics().apply(result.metrics, {})
  const [question = {}] = JSON.parse(contexts) as readonly Question[]
  const problem = errors.length > 0 ? errors.join('\n') : uselessAnswer(hook, result, question)
  return problem === undefined ? result : { ...result, failure: failed('Effects', problem) }
}

function uselessAnswer(hook: string, result: RunResult, { type, review }: Question): string | undefined {
  if (type === 'Validating' || type === 'Mutating') {
    const { isUseless = false, message } = admissionAnswer(hook, result)
    return isUseless ? message : undefined
  }
  if (type !== 'Conversion') return undefined
  const answer = conversionAnswer(hook, result, review?.request?.objects?.length ?? 0)
  return 'failed' in answer && answer.isUseless === true ? answer.failed : undefined
}
