/** Colours where the reader has them. */
import picocolors from 'picocolors'
import type { Display } from './display.ts'

export type Paint = Pick<
  ReturnType<typeof picocolors.createColors>,
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
>

const coloured = picocolors.createColors(true)
const plain = picocolors.createColors(false)

export function paint({ hasColours = false }: Display): Paint {
  return hasColours ? coloured : plain
}
