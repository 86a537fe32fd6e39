/** A line of a terminal: its characters, and the style of each. */

export interface StyledLine {
  readonly text: string
  /** The style of each UTF-16 unit of `text`: names such as `bold` and `green`, joined by a space. */
  readonly styles: readonly string[]
}

const styleStart = '\u001B['
const styleChange = new RegExp(`(${styleStart.replace('[', '\\[')}[\\d;]*m)`)

const names: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  ...Object.fromEntries(
    ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'].flatMap((name, index) => [
      [30 + index, name],
      [90 + index, name],
    ]),
  ),
}

/** Reads the escape sequences that `tmux capture-pane -e` writes; a style goes on from line to line. */
export function parseStyled(lines: readonly string[]): readonly StyledLine[] {
  let current = new Set<string>()
  return lines.map((line) => {
    let text = ''
    const styles: string[] = []
    for (const part of line.split(styleChange)) {
      if (part.startsWith(styleStart)) current = changed(current, part.slice(2, -1).split(';').map(Number))
      else {
        text += part
        for (let index = 0; index < part.length; index += 1) styles.push([...current].toSorted().join(' '))
      }
    }
    const length = text.trimEnd().length
    return { text: text.slice(0, length), styles: styles.slice(0, length) }
  })
}

export const withoutStyles = (line: string): string => parseStyled([line])[0]?.text ?? ''

function changed(styles: ReadonlySet<string>, codes: readonly number[]): Set<string> {
  const next = new Set(styles)
  for (const code of codes) {
    const name = names[code]
    if (code === 0) next.clear()
    else if (code === 22) for (const weight of ['bold', 'dim']) next.delete(weight)
    else {
      // A colour replaces the one before; 39 is the default.
      if (code >= 30) for (const old of next) if (old !== 'bold' && old !== 'dim') next.delete(old)
      if (name !== undefined) next.add(name)
    }
  }
  return next
}

/** Replaces matches; what is replaced takes the style of its first character. */
export function replaceStyled(
  line: StyledLine,
  pattern: RegExp,
  replacement: (match: readonly string[]) => string,
): StyledLine {
  let text = ''
  const styles: string[] = []
  let end = 0
  for (const match of line.text.matchAll(pattern)) {
    const put = replacement([...match].map((group) => group ?? ''))
    text += line.text.slice(end, match.index) + put
    styles.push(...line.styles.slice(end, match.index))
    for (let index = 0; index < put.length; index += 1) styles.push(line.styles[match.index] ?? '')
    end = match.index + match[0].length
  }
  const rest = { text: text + line.text.slice(end), styles: [...styles, ...line.styles.slice(end)] }
  const length = rest.text.trimEnd().length
  return { text: rest.text.slice(0, length), styles: rest.styles.slice(0, length) }
}

/** Breaks lines as a terminal of this width does. */
export function wrapped(lines: readonly StyledLine[], columns: number): readonly StyledLine[] {
  return lines.flatMap(({ text, styles }) => {
    const count = Math.max(1, Math.ceil(text.length / columns))
    return Array.from({ length: count }, (_, index) => {
      const [from, to] = [index * columns, (index + 1) * columns]
      const part = text.slice(from, to).trimEnd()
      return { text: part, styles: styles.slice(from, from + part.length) }
    })
  })
}
