/**
 * Draws a timeline with the characters of a terminal: pods as a stack over time, the gate as a row, hooks as bars. Different characters
 * stand for different things, so that colours only help.
 */
import type { HookState } from '../../../rollouts/index.ts'
import { largest } from '../../../runtime/index.ts'
import type { Paint } from '../../terminal/paint.ts'
import { printableLine } from '../../terminal/printable.ts'
import { span } from '../../terminal/span.ts'
import type { Bar, Sample } from './timeline.ts'

export interface Drawing {
  readonly samples: readonly Sample[]
  readonly bars: readonly Bar[]
  /** Milliseconds from the left edge to the right one. */
  readonly length: number
  /** Names of hooks, in the order of their rows. */
  readonly hooks: readonly string[]
  /** Columns of the terminal. */
  readonly columns: number
  readonly colour: Paint
}

const mostColumns = 100
const mostRows = 8
const mostLabel = 24

export function draw({ samples, bars, length, hooks, columns, colour }: Drawing): readonly string[] {
  const label = Math.min(mostLabel, Math.max(7, largest(hooks.map((name) => name.length))))
  const width = Math.max(20, Math.min(mostColumns, columns - label - 4))
  const scale = Math.max(1, length) / width
  const slices = Array.from({ length: width }, (_, column) => at(samples, (column + 1) * scale))
  const row = (name: string, cells: string) => `${name.slice(0, label).padEnd(label)} │${cells}`.trimEnd()
  return [
    ...stack(slices, colour).map(({ mark, cells }) => row(mark.padStart(label), cells)),
    row('gate', slices.map((sample) => gateCell(sample, colour)).join('')),
    ...hooks.map((hook) =>
      row(
        printableLine(hook),
        barRow(
          bars.filter((bar) => bar.hook === hook),
          scale,
          width,
          colour,
        ),
      ),
    ),
    ...axis(length, width, label),
  ]
}

/** So long that what the end came to can be seen. */
export function withEnd(length: number): number {
  return length * 1.04
}

/** What the characters mean. */
export function legend(colour: Paint): string {
  const { green, cyan, dim, yellow, red } = colour
  const pods = `${green('█')} new  ${green('▒')} new, not ready  ${cyan('░')} old  ${dim('·')} old, not ready`
  const gates = `${yellow('■')} gate closed  ${yellow('□')} held at a point`
  return `${pods}   ${gates}   ${green('✓')} succeeded  ${red('✗')} failed`
}

/** The last sample up to the moment. */
function at(samples: readonly Sample[], moment: number): Sample | undefined {
  return samples.findLast((sample) => sample.at <= moment) ?? samples[0]
}

function stack(slices: readonly (Sample | undefined)[], colour: Paint) {
  const most = Math.max(1, largest(slices.map((sample) => (sample === undefined ? 0 : sample.old + sample.fresh))))
  const rows = Math.min(mostRows, most)
  return Array.from({ length: rows }, (_, index) => {
    // Each row stands for the pod in its middle; with few pods, for exactly one.
    const pod = Math.ceil(((rows - index) * most) / rows)
    const isMarked = index === 0 || index === rows - 1 || rows <= 4
    const mark = isMarked ? String(pod) : ''
    return {
      mark: index === 0 ? `pods ${mark}` : mark,
      cells: slices.map((sample) => podCell(sample, pod, colour)).join(''),
    }
  })
}

/** New pods stand below old ones, ready ones below those that are not. */
function podCell(sample: Sample | undefined, pod: number, { green, cyan, dim }: Paint): string {
  if (sample === undefined) return ' '
  const { fresh, freshReady, old, oldReady } = sample
  if (pod <= freshReady) return green('█')
  if (pod <= fresh) return green('▒')
  if (pod <= fresh + oldReady) return cyan('░')
  return pod <= fresh + old ? dim('·') : ' '
}

function gateCell(sample: Sample | undefined, { yellow }: Paint): string {
  if (sample === undefined || sample.gate === 'open') return ' '
  return yellow(sample.gate === 'closed' ? '■' : '□')
}

const marks: Readonly<Record<HookState, string>> = {
  Pending: '·',
  Running: '╸',
  Succeeded: '✓',
  Failed: '✗',
  Ignored: '✗',
  Cancelled: '⊘',
}

function barRow(bars: readonly Bar[], scale: number, width: number, colour: Paint): string {
  const cells = Array.from({ length: width }, () => ' ')
  const column = (moment: number) => Math.min(width - 1, Math.max(0, Math.floor(moment / scale)))
  for (const { from, to, state } of bars) {
    const paintBar = colourOf(state, colour)
    const end = to === undefined ? width - 1 : column(to)
    for (let index = column(from); index < end; index++) cells[index] = paintBar('━')
    cells[end] = paintBar(marks[state])
  }
  return cells.join('')
}

export function colourOf(state: HookState, { green, red, yellow, cyan, dim }: Paint): (text: string) => string {
  switch (state) {
    case 'Succeeded':
      return green
    case 'Failed':
      return red
    case 'Ignored':
    case 'Cancelled':
      return yellow
    case 'Running':
      return cyan
    case 'Pending':
      return dim
  }
}

export function markOf(state: HookState): string {
  return state === 'Running' ? '●' : marks[state]
}

/** Ticks every ten columns; their times where there is room. */
function axis(length: number, width: number, label: number): readonly string[] {
  const ticks = Array.from({ length: width }, (_, index) => (index % 10 === 0 ? '┬' : '─')).join('')
  const times = Array.from({ length: width + 12 }, () => ' ')
  for (let index = 0; index < width; index += 20) {
    const text = index === 0 ? '0' : span((length * index) / width)
    for (const [offset, character] of [...text].entries()) times[index + offset] = character
  }
  return [`${' '.repeat(label)} └${ticks}`, `${' '.repeat(label + 2)}${times.join('').trimEnd()}`]
}
