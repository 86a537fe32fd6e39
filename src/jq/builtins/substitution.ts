/**
 * `sub` and `gsub`: replace matches by the result of an expression over their named groups. An expression with several outputs gives
 * several results; the n-th result uses every n-th output.
 */
import type { Json } from '../../runtime/index.ts'
import { type Code, fromEach, proceed } from '../compile/code.ts'
import type { Meter } from '../limits.ts'
import { add } from '../values/arithmetic.ts'
import { captured, matches } from './regex.ts'

export function substitute(pattern: Code, replacement: Code, flags: Code, meter: Meter): Code {
  return fromEach((input, env, emit) =>
    pattern.each(input, env, (source) =>
      flags.each(input, env, (given) => {
        const characters = typeof input === 'string' ? Array.from(input) : []
        const results: Json[] = []
        let from = 0
        for (const match of matches(input, source, given, meter, false)) {
          const gap = characters.slice(from, match.offset).join('')
          let which = 0
          replacement.each(captured(match), env, (text) => {
            results[which] = add(results[which] ?? null, add(gap, text, meter), meter)
            which += 1
            return proceed
          })
          from = match.offset + match.length
        }
        if (results.length === 0) return emit(input)
        const rest = characters.slice(from).join('')
        for (const result of results) {
          const signal = emit(add(result, rest, meter))
          if (signal !== proceed) return signal
        }
        return proceed
      }),
    ),
  )
}
