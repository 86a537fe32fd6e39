/** The recording at the top of the README: the tour of the walk of an application developer. */
import { writeFileSync } from 'node:fs'
import { type Frame, filmOf } from './film.ts'
import { svgOf } from './svg.ts'
import type { Screen } from './walker.ts'

export const picture = new URL('../../docs/pictures/tour.svg', import.meta.url)

const description =
  'A terminal: an image is changed, the rollout is held because its migration failed, its status says why; then the fix, the approval, and the new version runs'

export function drawRecording(screens: readonly Screen[]): void {
  const frames = filmOf(screens)
  writeFileSync(picture, svgOf(frames, description, frames.findIndex(saysWhy)))
}

/** Shown where nothing moves. */
const saysWhy = ({ rows }: Frame): boolean =>
  rows.some(({ text }) => text.startsWith('$ carabiner rollout status')) &&
  rows.some(({ text }) => text === 'What to do:')
