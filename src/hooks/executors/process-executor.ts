/** Hooks that are local processes. They end with this process; what they print goes to the caller line by line and is kept only at its end. */
import type { Runtime } from '../../runtime/index.ts'
import type { ProcessAction } from '../action/index.ts'
import type { FailureReason } from '../outcome/index.ts'
import type { Run } from '../run/index.ts'
import { type Attendance, type AttendedEnd, AttendedExecutor } from './attended.ts'
import { describeOutcome, type ProcessOutcome, runProcess } from './process.ts'

export class ProcessExecutor extends AttendedExecutor<ProcessAction> {
  readonly #runtime: Pick<Runtime, 'clock' | 'processes'>

  /** Processes under way end with `stop`. */
  constructor(runtime: Pick<Runtime, 'clock' | 'processes'>, stop: AbortSignal) {
    super(runtime.clock, stop)
    this.#runtime = runtime
  }

  protected override async attend(_run: Run, action: ProcessAction, attendance: Attendance): Promise<AttendedEnd> {
    const { onLine, ...hook } = action
    const outcome = await runProcess(this.#runtime, {
      ...hook,
      signal: attendance.signal,
      line(source, text) {
        attendance.print({ source, text })
        onLine?.({ source, text })
      },
    })
    const message = describeOutcome(outcome, action.timeout)
    return message === undefined ? { state: 'succeeded' } : { state: 'failed', reason: reasonOf(outcome), message }
  }
}

function reasonOf({ ended }: ProcessOutcome): FailureReason {
  switch (ended) {
    case 'not-started':
      return 'NotStarted'
    case 'timeout':
      return 'Timeout'
    case 'stopped':
      return 'Stopped'
    case 'exit':
      return 'Failed'
  }
}
