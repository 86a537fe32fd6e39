/** Colours on a terminal, unless NO_COLOR is set. */
import picocolors from 'picocolors'
import type { Output } from '../context.ts'

export type Paint = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
>

const coloured = picocolors.createColors(true)
const plain = picocolors.createColors(false)

export function paint(output: Output): Paint {
  return output.isTerminal && !process.env['NO_COLOR'] ? coloured : plain
}
