/**
 * Hooks that are calls over HTTP. This process makes the call and knows alone what became of it: whoever comes after its death finds
 * nothing and calls again, so that a call is made at least once. A header tells the receiver which calls are the same.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { KubeObject } from '../../kube/object.ts'
import { textFromBase64 } from '../../runtime/base64.ts'
import type { HttpEndpoint, HttpRequest, HttpResponse } from '../../runtime/http.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { withoutSecrets } from '../logs/index.ts'
import type { Observation } from '../outcome/index.ts'
import { objectName, type Run, runKey } from '../run/index.ts'

export interface HttpCall {
  readonly url: string
  /** @default POST */
  readonly method?: string
  readonly headers?: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
  }[]
  readonly body: string
  /** Status codes that mean success. @default any from 200 to 299 */
  readonly expect?: { readonly codes?: readonly number[] }
  /** The bundle is PEM text in base64. */
  readonly tls?: { readonly caBundle?: string; readonly insecureSkipVerify?: boolean }
}

/** Characters of an answer. */
const mostRead = 4096
const mostShown = 200
/** Milliseconds for an answer that is only good for saying what was wrong. */
const patience = 2000

interface Call {
  readonly ending: AbortController
  observation: Observation
}

export class HttpExecutor {
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #signal: AbortSignal
  readonly #calls = new Map<string, Call>()

  /** Calls under way end with `signal`. */
  constructor(client: KubeClient, runtime: Runtime, signal: AbortSignal) {
    this.#client = client
    this.#runtime = runtime
    this.#signal = signal
  }

  /** Returns at once; `ended` is called when there is something to observe. A run that was started already is left alone. */
  start(run: Run, wanted: HttpCall, ended: () => void): void {
    const key = runKey(run)
    if (this.#calls.has(key)) return
    const { clock } = this.#runtime
    const call: Call = { ending: new AbortController(), observation: { state: 'running', since: clock.now() } }
    this.#calls.set(key, call)
    const finish = (observation: Observation) => {
      // Nobody waits for a call that was broken off.
      if (call.ending.signal.aborted || this.#signal.aborted) return
      call.observation = observation
      ended()
    }
    const fail = (reason: string, message: string) => finish({ state: 'failed', at: clock.now(), reason, message })
    this.#send(run, wanted, AbortSignal.any([call.ending.signal, this.#signal])).then(
      ({ status, said }) => {
        const message = `${hostOf(wanted)} answered ${status}${said === '' ? '' : `: ${said}`}`
        if (isExpected(status, wanted)) finish({ state: 'succeeded', at: clock.now(), message })
        else fail('UnexpectedAnswer', message)
      },
      (error: unknown) =>
        fail('CallFailed', `${hostOf(wanted)}: ${error instanceof Error ? error.message : String(error)}`),
    )
  }

  observe(run: Run): Observation {
    return this.#calls.get(runKey(run))?.observation ?? { state: 'absent' }
  }

  /** Breaks the call off when it is under way, and forgets it. */
  remove(run: Run): void {
    const key = runKey(run)
    this.#calls.get(key)?.ending.abort()
    this.#calls.delete(key)
  }

  async #send(run: Run, wanted: HttpCall, signal: AbortSignal): Promise<{ status: number; said: string }> {
    const { url, method = 'POST', headers = [], body, tls } = wanted
    const secrets: string[] = []
    if (!URL.canParse(url)) throw new Error('the url cannot be called')
    const { origin, pathname, search } = new URL(url)
    const given: Record<string, string> = {
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      'idempotency-key': objectName(run),
    }
    for (const { name, value = '', valueFrom } of headers) {
      const secret = valueFrom && (await this.#secret(run.subject.namespace, valueFrom.secretKeyRef))
      // What comes back may be the token alone, without the word before it.
      if (secret !== undefined) secrets.push(secret, secret.split(' ').at(-1) ?? '')
      given[name.toLowerCase()] = secret ?? value
    }
    const enough = new AbortController()
    const endpoint: HttpEndpoint = { origin, ...(tls === undefined ? {} : { tls: tlsOf(tls) }) }
    const request: HttpRequest = {
      method,
      target: pathname + search,
      headers: given,
      ...(method === 'GET' ? {} : { body: new TextEncoder().encode(body) }),
      signal: AbortSignal.any([signal, enough.signal]),
    }
    const response = await this.#runtime.http.request(endpoint, request)
    if (!isExpected(response.status, wanted)) {
      const timer = this.#runtime.clock.after(patience, () => enough.abort())
      const said = await beginning(response, secrets)
      timer.cancel()
      return { status: response.status, said }
    }
    await discard(response)
    return { status: response.status, said: '' }
  }

  /** Read when it is needed and kept nowhere. */
  async #secret(namespace: string, { name, key }: { readonly name: string; readonly key: string }): Promise<string> {
    const handle = this.#client.of<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(resources.secrets)
    const value = (await handle.get(name, { namespace })).data?.[key]
    if (value === undefined) throw new Error(`secret ${namespace}/${name} has no key ${key}`)
    return textFromBase64(value).trim()
  }
}

function tlsOf({ caBundle, insecureSkipVerify }: NonNullable<HttpCall['tls']>): NonNullable<HttpEndpoint['tls']> {
  return {
    ...(caBundle === undefined ? {} : { ca: textFromBase64(caBundle) }),
    ...(insecureSkipVerify === undefined ? {} : { insecureSkipVerify }),
  }
}

function isExpected(status: number, { expect }: HttpCall): boolean {
  return expect?.codes === undefined ? status >= 200 && status <= 299 : expect.codes.includes(status)
}

/** Paths and queries of such addresses are often secrets. */
function hostOf({ url }: HttpCall): string {
  return URL.canParse(url) ? new URL(url).host : 'no address'
}

/** How an answer that was not hoped for begins, in one line: mostly it says what was wrong. Secrets that were sent may come back in it. */
async function beginning({ body }: HttpResponse, secrets: readonly string[]): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > mostRead) break
    }
  } catch {
    // What has come of it is better than nothing.
  }
  // Cut afterwards: half a secret would not be found.
  const clean = withoutSecrets(text.slice(0, mostRead), secrets).replaceAll(/\s+/g, ' ').trim()
  return clean.length > mostShown ? `${clean.slice(0, mostShown)}…` : clean
}

/** Only the status counts; the rest is not even read. */
async function discard({ body }: HttpResponse): Promise<void> {
  if (!(body instanceof Uint8Array)) await body[Symbol.asyncIterator]().return?.()
}
