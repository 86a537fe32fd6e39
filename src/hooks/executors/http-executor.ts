/**
 * Hooks that are HTTP requests. This process sends the request and is the only one that knows the response: a process that takes over
 * sends it again, so a request is sent at least once. The idempotency key tells the receiver which requests are the same.
 */
import type { KubeClient } from '../../kube/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import type { HttpCall } from '../action/index.ts'
import { type AddressPolicy, HttpSendError, HttpSender, hostOf } from '../http/index.ts'
import { objectName, type Run } from '../run/index.ts'
import { type Attendance, type AttendedEnd, AttendedExecutor } from './attended.ts'

export class HttpExecutor extends AttendedExecutor<HttpCall> {
  readonly #sender: HttpSender

  /** Requests under way end with `stop`. */
  constructor(
    client: KubeClient,
    runtime: Pick<Runtime, 'clock' | 'http'>,
    stop: AbortSignal,
    addressPolicy?: AddressPolicy,
  ) {
    super(runtime.clock, stop)
    this.#sender = new HttpSender(client, runtime, addressPolicy)
  }

  protected override async attend(run: Run, call: HttpCall, { signal }: Attendance): Promise<AttendedEnd> {
    const { namespace } = run.subject
    const answer = await this.#sender.send(call, { signal, namespace, idempotencyKey: objectName(run) })
    const { status, isExpected, text } = answer
    const answered = `${hostOf(call.url)} answered ${status}`
    if (isExpected) return { state: 'succeeded', message: answered, result: text }
    return { state: 'failed', reason: 'UnexpectedAnswer', message: text === '' ? answered : `${answered}: ${text}` }
  }

  protected override failureOf(error: unknown): AttendedEnd {
    if (!(error instanceof HttpSendError)) return super.failureOf(error)
    return { state: 'failed', reason: error.reason, message: error.message }
  }
}
