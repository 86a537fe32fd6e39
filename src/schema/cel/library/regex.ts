/** `matches`, `find` and `findAll` with the syntax of the API server (RE2) in linear time. */
import type { Environment } from '@marcbachmann/cel-js'
import { compileRegex, type Regex } from '../../regex/regex.ts'
import { registerAll } from './registration.ts'

const maxCached = 200

export function registerRegex(environment: Environment): void {
  const cache = new Map<string, Regex>()
  const regex = (source: string): Regex => {
    const known = cache.get(source)
    if (known !== undefined) return known
    if (cache.size >= maxCached) cache.clear()
    const compiled = compileRegex(source)
    cache.set(source, compiled)
    return compiled
  }
  const findAll = (text: string, source: string, limit: bigint): string[] => {
    const found: string[] = []
    for (let at = 0; at <= text.length && (limit < 0n || BigInt(found.length) < limit); ) {
      const span = regex(source).find(text, at)
      if (span === undefined) break
      found.push(text.slice(span.start, span.end))
      at = span.end > span.start ? span.end : span.end + 1
    }
    return found
  }
  registerAll(environment, {
    'matches(string, string): bool': (text: string, source: string) => regex(source).test(text),
    'string.matchesRe2(string): bool': (text: string, source: string) => regex(source).test(text),
    'string.find(string): string': (text: string, source: string) => findAll(text, source, 1n)[0] ?? '',
    'string.findAll(string): list<string>': (text: string, source: string) => findAll(text, source, -1n),
    'string.findAll(string, int): list<string>': findAll,
  })
}
