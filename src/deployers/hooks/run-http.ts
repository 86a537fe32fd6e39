/** Calls an HTTP endpoint as a hook: the context is what is sent, the answer what comes back. */
import type { HookContext, HookRun } from './hook-run.ts'

export interface HttpAction {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Nobody needs more to say yes or no. */
const longestAnswer = 64 * 1024

/** Gives the body of the answer; rejects for any status but those from 200 to 299. What goes wrong names the hook and whom it asked. */
export async function callHook(action: HttpAction, context: HookContext, run: HookRun): Promise<string> {
  const { origin, pathname } = new URL(action.url)
  try {
    return await call(action, context, run)
  } catch (error) {
    // Whoever ended it knows why.
    run.hook.signal.throwIfAborted()
    // What is asked for behind the path may be nobody else's business.
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`hook ${context.hook}: ${origin}${pathname}: ${message}`, { cause: error })
  }
}

async function call({ url, headers = {} }: HttpAction, context: HookContext, run: HookRun): Promise<string> {
  const { runtime, timeout, hook } = run
  const { origin, pathname, search } = new URL(url)
  const late = new AbortController()
  const timer = runtime.clock.after(timeout, () => late.abort(new Error(`no answer within ${timeout} ms`)))
  try {
    const response = await runtime.http.request(
      { origin },
      {
        method: 'POST',
        target: pathname + search,
        headers: { ...headers, 'content-type': 'application/json' },
        body: new TextEncoder().encode(JSON.stringify(context)),
        signal: AbortSignal.any([hook.signal, late.signal]),
      },
    )
    const body = await textOf(response.body)
    if (response.status < 200 || response.status > 299)
      throw new Error(`the answer was ${response.status}; only 200 to 299 mean success`)
    return body
  } finally {
    timer.cancel()
  }
}

async function textOf(body: Uint8Array | AsyncIterable<Uint8Array> | undefined): Promise<string> {
  if (body === undefined) return ''
  const decoder = new TextDecoder()
  if (body instanceof Uint8Array) return decoder.decode(body)
  let text = ''
  for await (const part of body) {
    text += decoder.decode(part, { stream: true })
    if (text.length > longestAnswer) throw new Error(`the answer is longer than ${longestAnswer} characters`)
  }
  return text + decoder.decode()
}
