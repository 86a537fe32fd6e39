/** The description of a value in an error message. */
import type { Json } from '../../runtime/index.ts'
import { print } from '../json/print.ts'
import { kindOf } from './kind.ts'

const maxMessageBytes = 29

/** `string ("abc...")`: the kind and the beginning of the value. */
export function describe(value: Json): string {
  return `${kindOf(value)} (${abbreviate(value)})`
}

/** The beginning of a value as JSON, truncated for an error message and closed with its delimiter. */
export function abbreviate(value: Json): string {
  const text = print(value, { maxLength: 4 * maxMessageBytes })
  if (utf8Length(text) <= maxMessageBytes) return text
  const kind = kindOf(value)
  const close = kind === 'string' ? '"' : kind === 'array' ? ']' : kind === 'object' ? '}' : ''
  let room = maxMessageBytes - 3 - close.length
  let kept = ''
  for (const character of text) {
    room -= utf8Length(character)
    if (room < 0) break
    kept += character
  }
  return `${kept}...${close}`
}

export function utf8Length(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length) {
      bytes += 4
      i += 1
    } else bytes += 3
  }
  return bytes
}
