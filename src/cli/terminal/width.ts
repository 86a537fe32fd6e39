/** Measures, shortens and wraps text by the columns that it takes on a terminal. */

/** Where a text that is too long is shortened. */
export type Shrinks = 'middle' | 'end'

/** The number of columns of a text: colours take none, wide East Asian characters and emoji two. */
export function displayWidth(text: string): number {
  let width = 0
  for (const segment of segmentsOf(text.replace(colours, ''))) width += widthOf(segment)
  return width
}

interface Shortening {
  readonly shrinks: Shrinks
  readonly ellipsis: string
}

/** Of plain text, without colours. */
export function shortened(text: string, width: number, { shrinks, ellipsis }: Shortening): string {
  if (displayWidth(text) <= width) return text
  const room = Math.max(0, width - ellipsis.length)
  const end = shrinks === 'middle' ? Math.ceil(room / 2) : 0
  const parts = segmentsOf(text)
  return [...taken(parts, room - end), ellipsis, ...taken(parts.toReversed(), end).toReversed()].join('')
}

/** Cuts a line with colours. */
export function cut(line: string, width: number): string {
  let room = width
  return line
    .split(colours)
    .map((part) => {
      if (part.startsWith(startOfColour)) return part
      const shown = taken(segmentsOf(part), room).join('')
      // What follows a character that had no room has none either.
      room = shown === part ? room - displayWidth(part) : 0
      return shown
    })
    .join('')
}

/** Breaks plain text between words. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart()
    if (displayWidth(longer) <= width || lines.at(-1) === '') lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** The first characters that fit. */
function taken(parts: readonly string[], width: number): readonly string[] {
  let room = width
  const end = parts.findIndex((part) => {
    room -= widthOf(part)
    return room < 0
  })
  return end < 0 ? parts : parts.slice(0, end)
}

/** Characters as people count them. */
function segmentsOf(text: string): readonly string[] {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
}

function widthOf(segment: string): number {
  return wide.test(segment) ? 2 : 1
}

const startOfColour = String.fromCharCode(27)
const colours = new RegExp(`(${startOfColour}\\[[0-9;]*m)`, 'g')
const wide =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u
