/** A command context for tests that records the output. */
import type { CliContext } from '../../src/cli/context.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'

export interface RecordedContext {
  readonly context: CliContext
  /** Everything written to standard output and standard error, unless `more` replaces them. */
  written(): string
  /** The last exit code that was set. */
  code(): number | undefined
}

export function recordedContext(runtime: Runtime, more: Partial<CliContext> = {}): RecordedContext {
  const texts: string[] = []
  let code: number | undefined
  const output = { write: (text: string) => void texts.push(text), isTerminal: false, columns: 80 }
  const context: CliContext = {
    runtime,
    stdout: output,
    stderr: output,
    readStdin: () => Promise.resolve(new Uint8Array()),
    exit: (given) => {
      code = given
    },
    leave: () => undefined,
    signal: new AbortController().signal,
    programName: 'carabiner',
    ...more,
  }
  return { context, written: () => texts.join(''), code: () => code }
}
