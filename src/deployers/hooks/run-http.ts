/** Sends an HTTP request as a hook: the context is the request's body, the answer the response's. */
import { type HttpCall, runToEnd } from '../../hooks/index.ts'
import type { HookContext, HookRun } from './hook-run.ts'

export interface HttpAction {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly tls?: NonNullable<HttpCall['tls']>
}

/** An answer is three fields. */
const maxAnswerBytes = 64 * 1024

/** Gives the body of the response; rejects for any status but those from 200 to 299. Errors name the hook and the host. */
export async function httpHook(
  { url, headers = {}, tls }: HttpAction,
  context: HookContext,
  { runner, run, timeout, hook, output: { traceparent } }: HookRun,
): Promise<string> {
  const call: HttpCall = {
    url,
    headers: Object.entries(traceparent === undefined ? headers : { traceparent, ...headers }).map(([name, value]) => ({
      name,
      value,
    })),
    body: JSON.stringify(context),
    timeoutMs: timeout,
    maxAnswerBytes,
    ...(tls === undefined ? {} : { tls }),
  }
  const end = await runToEnd(runner.http, run, call, hook.signal)
  if (end.state === 'failed') throw new Error(`hook ${context.hook}: ${end.message}`)
  return String(end.result)
}
