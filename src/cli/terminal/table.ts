/** Formats a table like kubectl: upper-case heads, three spaces between columns. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads.map((head) => head.toUpperCase()), ...rows]
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => displayWidth(line[column] ?? ''))))
  const render = (line: readonly string[]) =>
    widths
      .map((width, column) => pad(line[column] ?? '', width))
      .join('   ')
      .trimEnd()
  return `${lines.map(render).join('\n')}\n`
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - displayWidth(cell)))
}

/** The number of terminal cells of a text: colour codes take none, wide East Asian characters and emoji two. */
function displayWidth(text: string): number {
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(text.replace(colourCodes, ''))) {
    width += wide.test(segment) ? 2 : 1
  }
  return width
}

const colourCodes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')
const wide =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u
