/** The screens of the walks as they are kept in the repository, one text file for each walk and width. */
import { applicationDeveloper } from './application-developer.ts'
import { libraryUser } from './library-user.ts'
import { operationsEngineer } from './operations-engineer.ts'
import { platformEngineer } from './platform-engineer.ts'
import { parseStyled } from './styled.ts'
import { type Screen, Walker } from './walker.ts'

export const widths = [80, 120] as const

export const recorded = 'application-developer'

export const walks: Readonly<Record<string, (walker: Walker) => Promise<void>>> = {
  [recorded]: applicationDeveloper,
  'library-user': libraryUser,
  'operations-engineer': operationsEngineer,
  'platform-engineer': platformEngineer,
}

/** Takes a walk in terminals of this width. */
export async function takeWalk(name: string, columns: number): Promise<readonly Screen[]> {
  const walker = await Walker.start(columns)
  try {
    await walks[name]?.(walker)
    return walker.screens
  } finally {
    await walker.end()
  }
}

export const fileOf = (name: string, columns: number): URL => new URL(`screens/${name}.${columns}.txt`, import.meta.url)

export function textOf(screens: readonly Screen[]): string {
  const parts = screens.map(({ terminal, from, lines }) =>
    [`── terminal ${terminal} ── ${from} ──`, ...lines.map(({ text }) => text)].join('\n'),
  )
  return `${parts.join('\n\n')}\n`
}

/** What `textOf` wrote. */
export function screensOf(text: string): readonly Screen[] {
  const parts = text
    .trimEnd()
    .split(/^── terminal (\d+) ── (.*) ──\n/m)
    .slice(1)
  return Array.from({ length: parts.length / 3 }, (_, index) => {
    const [terminal, from = '', lines = ''] = parts.slice(3 * index, 3 * index + 3)
    return { terminal: Number(terminal), from, lines: parseStyled(lines.trimEnd().split('\n')) }
  })
}
