/**
 * Sends the HTTP requests of hooks, for every surface. The status decides before any of the body is read; the body is bounded in bytes
 * and time. Neither a message nor an error shows more of the address than its host, nor a secret that was sent.
 */
import type { KubeClient, KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import {
  type HttpEndpoint,
  type HttpRequest,
  type HttpResponse,
  isSecretName,
  type Runtime,
  textFromBase64,
} from '../../runtime/index.ts'
import type { HttpCall } from '../action/index.ts'
import { withoutSecrets } from '../logs/index.ts'
import type { FailureReason } from '../outcome/index.ts'
import { type AddressPolicy, allowEveryAddress, hostOf, secretParts } from './address.ts'
import { discardBody, readBeginning, readBody } from './body.ts'

export interface SendOptions {
  readonly signal: AbortSignal
  /** Where the Secrets of headers are. */
  readonly namespace: string
  /** Tells the receiver which requests are the same. */
  readonly idempotencyKey: string
}

/** A response came; `text` is the body that was asked for, or the beginning of an unexpected one, in one line. */
export interface HttpAnswer {
  readonly status: number
  readonly isExpected: boolean
  readonly text: string
}

/** No response that can be judged. The message names the host and nothing else of the address. */
export class HttpSendError extends Error {
  readonly reason: Extract<FailureReason, 'AddressRefused' | 'CallFailed' | 'Timeout' | 'UnexpectedAnswer'>

  constructor(reason: HttpSendError['reason'], url: string, message: string, cause?: unknown) {
    super(`${hostOf(url)}: ${message}`, cause === undefined ? undefined : { cause })
    this.name = 'HttpSendError'
    this.reason = reason
  }
}

const maxUnexpectedBytes = 4096
const maxShownLength = 200
/** For the body of a response that failed already: it is only good for the message. */
const unexpectedBodyTimeoutMs = 2000

interface SecretKey {
  readonly name: string
  readonly key: string
}

/** A request as it goes out, and what must not be shown of it. */
interface Prepared {
  readonly endpoint: HttpEndpoint
  readonly request: Omit<HttpRequest, 'signal'>
  readonly secrets: readonly string[]
}

export class HttpSender {
  readonly #client: KubeClient
  readonly #runtime: Pick<Runtime, 'clock' | 'http'>
  readonly #refusal: AddressPolicy

  /** `client` reads the Secrets of headers. */
  constructor(
    client: KubeClient,
    runtime: Pick<Runtime, 'clock' | 'http'>,
    addressPolicy: AddressPolicy = allowEveryAddress,
  ) {
    this.#client = client
    this.#runtime = runtime
    this.#refusal = addressPolicy
  }

  /** Rejects with an `HttpSendError` when there is no response to judge. */
  async send(call: HttpCall, options: SendOptions): Promise<HttpAnswer> {
    const { clock } = this.#runtime
    const { timeoutMs } = call
    const late = new AbortController()
    const timer = timeoutMs === undefined ? undefined : clock.after(timeoutMs, () => late.abort())
    try {
      const within = { ...options, signal: AbortSignal.any([options.signal, late.signal]) }
      return await this.#exchange(call, await this.#prepare(call, within), within.signal)
    } catch (error) {
      if (late.signal.aborted) throw new HttpSendError('Timeout', call.url, `no answer within ${timeoutMs} ms`)
      if (error instanceof HttpSendError) throw error
      const message = error instanceof Error ? error.message : String(error)
      throw new HttpSendError('CallFailed', call.url, message, error)
    } finally {
      timer?.cancel()
    }
  }

  async #prepare(call: HttpCall, { idempotencyKey, ...place }: SendOptions): Promise<Prepared> {
    const { method = 'POST', headers = [], body, tls } = call
    if (!URL.canParse(call.url)) throw new Error('the url cannot be called')
    const url = new URL(call.url)
    const refusal = this.#refusal(url)
    if (refusal !== undefined) throw new HttpSendError('AddressRefused', call.url, refusal)
    const secrets: string[] = [...secretParts(url)]
    const given: Record<string, string> = {
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      'idempotency-key': idempotencyKey,
    }
    for (const { name, value = '', valueFrom } of headers) {
      const secret = valueFrom && (await this.#secret(place, valueFrom.secretKeyRef))
      const known = secret ?? (isSecretName(name) ? value : undefined)
      // A response may repeat the token alone, without the word before it.
      if (known !== undefined) secrets.push(known, known.split(' ').at(-1) ?? '')
      given[name.toLowerCase()] = secret ?? value
    }
    return {
      endpoint: { origin: url.origin, ...(tls === undefined ? {} : { tls: tlsOf(tls) }) },
      request: {
        method,
        target: url.pathname + url.search,
        headers: given,
        ...(method === 'GET' ? {} : { body: new TextEncoder().encode(body) }),
      },
      secrets,
    }
  }

  async #exchange(call: HttpCall, { endpoint, request, secrets }: Prepared, signal: AbortSignal): Promise<HttpAnswer> {
    const enough = new AbortController()
    const response = await this.#runtime.http.request(endpoint, {
      ...request,
      streamsBody: true,
      signal: AbortSignal.any([signal, enough.signal]),
    })
    const { status } = response
    if (!isExpected(status, call)) {
      const timer = this.#runtime.clock.after(unexpectedBodyTimeoutMs, () => enough.abort())
      const text = oneLine(await readBeginning(response, maxUnexpectedBytes), secrets)
      timer.cancel()
      return { status, isExpected: false, text }
    }
    return { status, isExpected: true, text: await answerOf(response, call) }
  }

  /** Read for each request and kept nowhere. */
  async #secret(place: Pick<SendOptions, 'namespace' | 'signal'>, { name, key }: SecretKey): Promise<string> {
    const handle = this.#client.of<KubeObject & { readonly data?: Readonly<Record<string, string>> }>(resources.secrets)
    const value = (await handle.get(name, place)).data?.[key]
    if (value === undefined) throw new Error(`secret ${place.namespace}/${name} has no key ${key}`)
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

async function answerOf(response: HttpResponse, { url, maxAnswerBytes = 0 }: HttpCall): Promise<string> {
  if (maxAnswerBytes === 0) {
    await discardBody(response)
    return ''
  }
  const { text, isCut } = await readBody(response, maxAnswerBytes)
  if (isCut) throw new HttpSendError('UnexpectedAnswer', url, `the answer is longer than ${maxAnswerBytes} bytes`)
  return text
}

/** The beginning of an unexpected body in one line: mostly it says what was wrong. */
function oneLine(text: string, secrets: readonly string[]): string {
  // Cut after redaction: half a secret would not be found.
  const clean = withoutSecrets(text, secrets).replaceAll(/\s+/g, ' ').trim()
  return clean.length > maxShownLength ? `${clean.slice(0, maxShownLength)}…` : clean
}
