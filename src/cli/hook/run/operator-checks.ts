/** Applies the checks of the operator after a run: metrics must be valid, and a webhook run must have a valid response. */
import {
  admissionAnswer,
  conversionAnswer,
  failed,
  HookMetrics,
  type RunResult,
} from '../../../addons/scripts/index.ts'

/** The fields of a binding context that require a response. */
interface ReviewContext {
  readonly type?: string
  readonly review?: { readonly request?: { readonly objects?: readonly unknown[] } }
}

/** `contexts`: the binding contexts as JSON text. */
export function withOperatorChecks(hook: string, result: RunResult, contexts: string): RunResult {
  if (result.failure !== undefined) return result
  const errors = new HookMetrics().apply(result.metrics, {})
  const [context = {}] = JSON.parse(contexts) as readonly ReviewContext[]
  const problem = errors.length > 0 ? errors.join('\n') : invalidResponse(hook, result, context)
  return problem === undefined ? result : { ...result, failure: failed('Effects', problem) }
}

function invalidResponse(hook: string, result: RunResult, { type, review }: ReviewContext): string | undefined {
  if (type === 'Validating' || type === 'Mutating') {
    const { isInvalid = false, message } = admissionAnswer(hook, result)
    return isInvalid ? message : undefined
  }
  if (type !== 'Conversion') return undefined
  const answer = conversionAnswer(hook, result, review?.request?.objects?.length ?? 0)
  return 'failed' in answer && answer.isInvalid === true ? answer.failed : undefined
}
