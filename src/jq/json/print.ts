/**
 * Prints values as JSON, byte for byte like jq. Uses an explicit stack, so that depth does not use the native stack; values nested deeper
 * than jq prints are replaced by its placeholder.
 */
import type { Json, JsonObject } from '../../runtime/index.ts'
import { maxValueDepth } from '../limits.ts'
import { compareStrings } from '../values/compare.ts'
import { formatDouble } from '../values/double.ts'
import { isLiteral, literalText } from '../values/literal.ts'
import { wellFormed } from '../values/text.ts'

export interface PrintOptions {
  /** Spaces per level, or the text of one level; compact when absent. */
  readonly indent?: number | string
  readonly sortKeys?: boolean
  readonly asciiOnly?: boolean
  /** Stops soon after this many characters; for messages that are truncated anyway. */
  readonly maxLength?: number
  /** Called with the number of values printed, so that values shared many times count against the budget. */
  readonly spend?: (steps: number) => void
}

interface Frame {
  readonly array: readonly Json[] | undefined
  readonly object: JsonObject | undefined
  readonly keys: readonly string[] | undefined
  readonly length: number
  next: number
}

const tooDeep = '<skipped: too deep>'
const del = String.fromCharCode(0x7f)

export function print(value: Json, options: PrintOptions = {}): string {
  const step = typeof options.indent === 'number' ? ' '.repeat(options.indent) : (options.indent ?? '')
  const frames: Frame[] = []
  let out = ''
  let current: Json | undefined = value
  for (;;) {
    if (current !== undefined) {
      const frame = open(current, options, frames.length)
      if (typeof frame === 'string') out += frame
      else {
        out += frame.array ? '[' : '{'
        frames.push(frame)
      }
      current = undefined
    }
    const top = frames.at(-1)
    if (top === undefined || (options.maxLength !== undefined && out.length > options.maxLength)) return out
    if (top.next === top.length) {
      frames.pop()
      if (step !== '' && top.length > 0) out += `\n${step.repeat(frames.length)}`
      out += top.array ? ']' : '}'
      continue
    }
    if (top.next > 0) out += ','
    if (step !== '') out += `\n${step.repeat(frames.length)}`
    if (top.array) current = top.array[top.next]
    else {
      const key = top.keys?.[top.next] ?? ''
      out += `${quote(key, options.asciiOnly)}:${step === '' ? '' : ' '}`
      current = top.object?.[key]
    }
    top.next += 1
  }
}

function open(value: Json, options: PrintOptions, depth: number): Frame | string {
  if (typeof value !== 'object' || value === null || isLiteral(value)) return scalar(value, options.asciiOnly)
  if (depth > maxValueDepth) return tooDeep
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    options.spend?.(value.length)
    return { array: value as readonly Json[], object: undefined, keys: undefined, length: value.length, next: 0 }
  }
  const object = value as JsonObject
  const keys = Object.keys(object)
  if (keys.length === 0) return '{}'
  if (options.sortKeys) keys.sort(compareStrings)
  options.spend?.(keys.length)
  return { array: undefined, object, keys, length: keys.length, next: 0 }
}

function scalar(value: Json, asciiOnly: boolean | undefined): string {
  if (typeof value === 'string') return quote(value, asciiOnly)
  if (typeof value === 'number') return formatDouble(value)
  return isLiteral(value) ? value[literalText] : String(value)
}

function quote(text: string, asciiOnly: boolean | undefined): string {
  let quoted = JSON.stringify(text)
  if (quoted.includes(del)) quoted = quoted.replaceAll(del, '\\u007f')
  if (quoted.includes('\\ud')) quoted = JSON.stringify(wellFormed(text))
  if (!asciiOnly) return quoted
  return quoted.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
