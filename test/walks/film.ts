/** The tour of the README as a film: what the terminal shows, moment by moment, from the screens of the walk. */

import type { StyledLine } from './styled.ts'
import type { Screen } from './walker.ts'

export const size = { columns: 80, rows: 24 }

export interface Frame {
  readonly title: string
  readonly rows: readonly StyledLine[]
  readonly ms: number
}

const typedAtOnce = 5
const typedMs = 70
const beforeReturnMs = 500
const readMs = { least: 1400, perLine: 170, most: 5500 }
/** The reader needs the end longer, and then it begins again. */
const endMs = 3000

/** What the film shows: the first start, and the commands about the rollout. */
const isShown = ({ from, lines }: Screen) =>
  from.startsWith('README.md') && /^\$ (npm start|kubectl|carabiner)/.test(lines[0]?.text ?? '')

export function filmOf(screens: readonly Screen[]): readonly Frame[] {
  const frames: Frame[] = []
  const shown = screens.filter(isShown)
  let terminal = 0
  let before: readonly StyledLine[] = []
  for (const screen of shown) {
    if (screen.terminal !== terminal) before = []
    terminal = screen.terminal
    const title = terminal === 1 ? 'terminal 1' : `terminal ${terminal}, in the same folder`
    const show = (lines: readonly StyledLine[], ms: number) =>
      frames.push({ title, rows: [...before, ...lines].slice(-size.rows), ms })
    const [typed = plain('')] = screen.lines
    for (let length = 2; length < typed.text.length; length += typedAtOnce)
      show([plain(typed.text.slice(0, length).trimEnd())], typedMs)
    show([typed], beforeReturnMs)
    const count = screen.lines.length - 1
    show(screen.lines, Math.min(readMs.most, readMs.least + count * readMs.perLine))
    before = [...before, ...screen.lines]
  }
  const last = frames.at(-1)
  return last === undefined ? [] : [...frames.slice(0, -1), { ...last, ms: last.ms + endMs }]
}

const plain = (text: string): StyledLine => ({ text, styles: Array.from(text, () => '') })
