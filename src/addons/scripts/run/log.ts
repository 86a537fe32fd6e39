/**
 * Lines that hooks print, told again in the operator's log with where they come from. Lines of JSON can be merged in as fields.
 */
import type { OutputStream } from '../../../hooks/index.ts'
import { isJsonObject, type JsonObject } from '../../../runtime/json.ts'
import type { Logger, LogLevel } from '../../../runtime/log.ts'

/** Of what a hook printed to standard error, this much is kept to say why it failed. */
const keptCharacters = 2_000

export class HookOutput {
  readonly #createLog: () => Logger
  #log: Logger | undefined
  readonly #mergeJson: boolean
  readonly #complaints: string[] = []
  #kept = 0

  /** The log is made with the first line: most hooks print none. */
  constructor(createLog: () => Logger, mergeJson: boolean) {
    this.#createLog = createLog
    this.#mergeJson = mergeJson
  }

  /** The end of what was printed to standard error. */
  get complaints(): string {
    return this.#complaints.join('\n').slice(-keptCharacters)
  }

  take(stream: OutputStream, text: string): void {
    if (stream === 'stderr') this.#keep(text)
    const merged = this.#mergeJson ? jsonOf(text) : undefined
    this.#log ??= this.#createLog()
    if (merged === undefined) this.#log.info(text, { output: stream })
    else this.#log[levelOf(merged['level'])](messageOf(merged, text), { ...fieldsOf(merged), output: stream })
  }

  #keep(text: string): void {
    this.#complaints.push(text)
    this.#kept += text.length
    while (this.#complaints.length > 1 && this.#kept - (this.#complaints[0]?.length ?? 0) >= keptCharacters)
      this.#kept -= this.#complaints.shift()?.length ?? 0
  }
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

/** What the log says itself of every line of a hook. */
const taken = new Set(['time', 'hook', 'binding', 'queue', 'task', 'event', 'output'])

/** What the hook calls like something in the log stays readable beside it: `time` as `hookTime`. */
function fieldsOf(line: JsonObject): JsonObject {
  const { level: _, msg: __, message: ___, ...fields } = line
  const named = Object.entries(fields).map(([key, value]) => [taken.has(key) ? besides(key) : key, value])
  return Object.fromEntries(named) as JsonObject
}

function besides(key: string): string {
  return `hook${key.charAt(0).toUpperCase()}${key.slice(1)}`
}
