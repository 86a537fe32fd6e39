/**
 * New users, each with nothing but README and guides, in a real terminal of 80 and of 120 columns: every command works as written, and every screen
 * is the one that was looked at. `npm run walks` writes the screens.
 */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { kubectlPath } from '../cluster/programs.ts'
import { filmOf, size } from './film.ts'
import { picture } from './recording.ts'
import { fileOf, recorded, screensOf, takeWalk, textOf, walks, widths } from './screens.ts'
import { rowsOf } from './svg.ts'
import { hasTmux } from './terminal.ts'

const kept = (name: string, columns: number) => {
  const file = fileOf(name, columns)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

describe.skipIf(!hasTmux || kubectlPath === undefined).concurrent('the screens of', () => {
  const all = Object.keys(walks).flatMap((name) => widths.map((columns) => [name, columns] as const))
  it.each(all)('%s at %d columns', async (name, columns) => {
    expect(textOf(await takeWalk(name, columns))).toBe(kept(name, columns))
  })
})

describe('the recording in the README', () => {
  it('shows the screens of the walk; npm run record draws it', () => {
    const svg = readFileSync(picture, 'utf8')
    const frames = filmOf(screensOf(kept(recorded, size.columns)))
    expect(rowsOf(svg)).toEqual(frames.map(({ rows }) => rows.map(({ text }) => text)))
    expect(svg.length).toBeLessThan(150_000)
  })
})
