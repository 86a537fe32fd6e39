/**
 * Matching: `match`, `test`, `capture`, `splits` and the basis of `sub`. Offsets count code points.
 */
import type { Json } from '../../runtime/index.ts'
import type { Native } from '../compile/machine.ts'
import { runtimeError } from '../error.ts'
import type { Meter } from '../limits.ts'
import type { Found } from '../regex/backtrack.ts'
import { compilePattern, type TextPattern } from '../regex/pattern.ts'
import { describe } from '../values/describe.ts'
import { isArray, isObject, kindOf } from '../values/kind.ts'
import { type MutableObject, setKey } from '../values/object.ts'
import { codePointOffsets } from '../values/text.ts'

export const regexFunctions: Readonly<Record<string, Native>> = {
  '_match/3': (input, [pattern = null, flags = null, testing = null], { meter }) =>
    testing === true
      ? matches(input, pattern, flags, meter, true).length > 0
      : matches(input, pattern, flags, meter, false),
  '_captured/0': (input) => captured(input),
  '_matcher/1': (_input, [given = null]) => {
    if (typeof given === 'string') return [given, null]
    if (isArray(given) && given.length > 0) return [given[0] ?? null, given[1] ?? null]
    throw runtimeError(`${kindOf(given)} not a string or array`)
  },
  '_split_match/2': (input, [pattern = null, flags = null], { meter }) => {
    const all = typeof flags === 'string' ? `g${flags}` : flags === null ? 'g' : flags
    const pieces: Json[] = []
    const characters = typeof input === 'string' ? Array.from(input) : []
    let from = 0
    for (const { offset, length } of matches(input, pattern, all, meter, false)) {
      pieces.push(characters.slice(from, offset).join(''))
      from = offset + length
    }
    pieces.push(characters.slice(from).join(''))
    return pieces
  },
}

/** Cache of compiled patterns: patterns are nearly always constants. */
const compiledPatterns = new Map<string, TextPattern>()
const maxCompiledPatterns = 200

interface Flags {
  readonly global: boolean
  readonly ignoreCase: boolean
  readonly extended: boolean
  readonly dotAll: boolean
  readonly skipEmpty: boolean
}

function parseFlags(flags: Json): Flags {
  if (flags !== null && typeof flags !== 'string') throw runtimeError(`${describe(flags)} is not a string`)
  const given = flags ?? ''
  if (/[^gixnpsl]/.test(given)) throw runtimeError(`${given} is not a valid modifier string`)
  return {
    global: given.includes('g'),
    ignoreCase: given.includes('i'),
    extended: given.includes('x'),
    dotAll: given.includes('p'),
    skipEmpty: given.includes('n'),
  }
}

function patternFor(source: string, flags: Flags): TextPattern {
  const key = `${flags.ignoreCase ? 'i' : ''}${flags.extended ? 'x' : ''}${flags.dotAll ? 'p' : ''}/${source}`
  const known = compiledPatterns.get(key)
  if (known) return known
  const compiled = compilePattern(source, flags)
  if (compiledPatterns.size >= maxCompiledPatterns) compiledPatterns.clear()
  compiledPatterns.set(key, compiled)
  return compiled
}

type Match = { readonly offset: number; readonly length: number; readonly string: string; readonly captures: Json }

export function matches(input: Json, pattern: Json, flagsGiven: Json, meter: Meter, testing: boolean): Match[] {
  for (const text of [input, pattern]) {
    if (typeof text !== 'string') throw runtimeError(`${describe(text)} cannot be matched, as it is not a string`)
  }
  const text = input as string
  const flags = parseFlags(flagsGiven)
  const { find, groups } = patternFor(pattern as string, flags)
  const found: Match[] = []
  const offsetOf = codePointOffsets(text)
  meter.spend(1 + (text.length >> 3))
  let at = 0
  for (let match = find(text, at, meter); match !== undefined; match = find(text, at, meter)) {
    if (--meter.left < 0) meter.exhausted()
    const { start, end } = match
    at = end === start ? next(text, start) : end
    if (end > start || !flags.skipEmpty) {
      const offset = offsetOf(start)
      const length = offsetOf(end) - offset
      found.push({ offset, length, string: text.slice(start, end), captures: captures(match, groups, text) })
      if (!flags.global || testing) break
    }
    if (at > text.length) break
  }
  return found
}

function next(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
}

function captures(match: Found, groups: readonly (string | null)[], text: string): Json[] {
  const offsetOf = codePointOffsets(text)
  return groups.map((name, index) => {
    const place = match.groups[index]
    if (place === undefined) return { offset: -1, length: 0, string: null, name }
    const [start, end] = place
    const offset = offsetOf(start)
    return { offset, length: offsetOf(end) - offset, string: text.slice(start, end), name }
  })
}

export function captured(match: Json): Json {
  const object: MutableObject = {}
  if (!isObject(match) || !isArray(match['captures'] ?? null)) return object
  for (const capture of match['captures'] as readonly Json[]) {
    if (!isObject(capture)) continue
    const name = capture['name']
    if (typeof name === 'string') setKey(object, name, capture['string'] ?? null)
  }
  return object
}
