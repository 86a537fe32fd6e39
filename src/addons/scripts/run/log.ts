/**
 * Lines that hooks print, written to the operator's log with the hook, binding and run they come from. Lines of JSON can be merged in as
 * fields. The last lines are kept for the record of the run. A run that prints too much has lines omitted; the log says how much.
 */
import { LastLines, type OutputStream } from '../../../hooks/index.ts'
import { type Clock, isJsonObject, type JsonObject, type Logger, type LogLevel } from '../../../runtime/index.ts'
import { LogLimit } from './log-limit.ts'

/** Of standard error, to say why the hook failed. */
const maxErrorCharacters = 2_000

export class HookOutput {
  readonly #createLog: () => Logger
  #log: Logger | undefined
  readonly #mergeJson: boolean
  readonly #errors = new LastLines(maxErrorCharacters)
  readonly #all = new LastLines()
  readonly #limit: LogLimit
  #hasOmitted = false
  #omitted = { lines: 0, characters: 0 }

  /** The log is made with the first line: most hooks print none. */
  constructor(createLog: () => Logger, { mergeJson, clock }: { readonly mergeJson: boolean; readonly clock: Clock }) {
    this.#createLog = createLog
    this.#mergeJson = mergeJson
    this.#limit = new LogLimit(clock)
  }

  /** The end of what was printed to standard error. */
  get complaints(): string {
    return this.#errors.text
  }

  /** The end of what was printed to both streams. */
  get end(): string {
    return this.#all.text
  }

  take(stream: OutputStream, text: string): void {
    if (stream === 'stderr') this.#errors.add(text)
    this.#all.add(text)
    if (!this.#limit.admits(text.length)) {
      this.#omit(text)
      return
    }
    this.#reportOmitted()
    const merged = this.#mergeJson ? jsonOf(text) : undefined
    this.#log ??= this.#createLog()
    if (merged === undefined) this.#log.info(text, { output: stream })
    else this.#log[levelOf(merged['level'])](messageOf(merged, text), { ...fieldsOf(merged), output: stream })
  }

  /** After the last line. */
  close(): void {
    this.#reportOmitted()
  }

  /** Said at once, because a run without end never says how much. */
  #omit(text: string): void {
    this.#log ??= this.#createLog()
    if (!this.#hasOmitted) this.#log.warn('the hook prints more than its log takes: lines are omitted')
    this.#hasOmitted = true
    this.#omitted.lines++
    this.#omitted.characters += text.length
  }

  #reportOmitted(): void {
    const { lines, characters } = this.#omitted
    if (lines === 0) return
    this.#omitted = { lines: 0, characters: 0 }
    this.#log?.warn(`… ${(characters / 1_000_000).toFixed(1)} MB omitted`, { lines })
  }
}

const maxWarnings = 5

/** One line for all warnings about the files of a run. */
export function logWarnings(log: () => Logger, warnings: readonly string[]): void {
  if (warnings.length === 0) return
  const others = warnings.length > maxWarnings ? { others: warnings.length - maxWarnings } : {}
  log().warn('parts of object operations are ignored', {
    ignored: warnings.slice(0, maxWarnings).join('; '),
    ...others,
  })
}

function jsonOf(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const levels: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
  panic: 'error',
}

function levelOf(level: unknown): LogLevel {
  return levels[String(level).toLowerCase()] ?? 'info'
}

function messageOf(line: JsonObject, text: string): string {
  const message = line['msg'] ?? line['message']
  return typeof message === 'string' ? message : text
}

/** Fields that every line of a hook has. */
const taken = new Set(['time', 'hook', 'binding', 'queue', 'task', 'event', 'run', 'output'])

/** A field of the hook with the name of one of those is renamed: `time` becomes `hookTime`. */
function fieldsOf(line: JsonObject): JsonObject {
  const { level: _, msg: __, message: ___, ...fields } = line
  const named = Object.entries(fields).map(([key, value]) => [taken.has(key) ? besides(key) : key, value])
  return Object.fromEntries(named) as JsonObject
}

function besides(key: string): string {
  return `hook${key.charAt(0).toUpperCase()}${key.slice(1)}`
}
