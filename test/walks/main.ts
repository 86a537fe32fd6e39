/**
 * `npm run walks -- [WALK…]`: takes the walks, writes their screens, and draws the recording; look at them before they are committed. `npm run record`
 * takes the walk that the recording shows.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { size } from './film.ts'
import { drawRecording } from './recording.ts'
import { fileOf, recorded, takeWalk, textOf, walks, widths } from './screens.ts'

const asked = process.argv.slice(2)
mkdirSync(new URL('screens/', import.meta.url), { recursive: true })
for (const name of asked.length > 0 ? asked : Object.keys(walks)) {
  // The others end in order, too, when one fails.
  const taken = await Promise.allSettled(
    widths.map(async (columns) => {
      const screens = await takeWalk(name, columns)
      writeFileSync(fileOf(name, columns), textOf(screens))
      if (name === recorded && columns === size.columns) drawRecording(screens)
    }),
  )
  for (const one of taken) if (one.status === 'rejected') throw one.reason
  process.stdout.write(`wrote the screens of ${name}\n`)
}
