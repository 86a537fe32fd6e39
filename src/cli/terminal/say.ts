/** Writes a plain text for people: safe for a terminal, in symbols that the reader can see. Coloured texts make their parts safe themselves. */
import type { Output } from '../context.ts'
import { printable } from './printable.ts'
import { legible } from './symbols.ts'

export function say(output: Output, text: string): void {
  output.write(legible(printable(text), output))
}
