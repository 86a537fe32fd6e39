/**
 * A film as an SVG without scripts and fonts of its own: every distinct line once, every frame as a list of lines, and the frames side by side
 * on a strip that CSS moves step by step. It can be read back, so that a test knows what it shows.
 */
import { type Frame, size } from './film.ts'
import type { StyledLine } from './styled.ts'

const cell = { width: 8.4, height: 19 }
const margin = { left: 16, top: 46, bottom: 16 }
const width = Math.round(size.columns * cell.width + 2 * margin.left)
const height = margin.top + size.rows * cell.height + margin.bottom

const style = `
svg{--page:#fff;--bar:#f0f2f5;--edge:#d0d7de;--text:#1f2328;--dim:#6e7781;--red:#cf222e;--green:#1a7f37;--yellow:#9a6700;--blue:#0969da;--magenta:#8250df;--cyan:#1b7c83}
@media (prefers-color-scheme:dark){svg{--page:#0d1117;--bar:#161b22;--edge:#30363d;--text:#e6edf3;--dim:#8b949e;--red:#ff7b72;--green:#3fb950;--yellow:#d29922;--blue:#58a6ff;--magenta:#bc8cff;--cyan:#39c5cf}}
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:var(--text);white-space:pre}
.t{font-size:12.5px;fill:var(--dim);text-anchor:middle}
.bold{font-weight:700}.dim{fill:var(--dim)}.red{fill:var(--red)}.green{fill:var(--green)}.yellow{fill:var(--yellow)}.blue{fill:var(--blue)}.magenta{fill:var(--magenta)}.cyan{fill:var(--cyan)}`

export function svgOf(frames: readonly Frame[], description: string, still: number): string {
  const lines = new Map<string, string>()
  const idOf = (line: StyledLine) => {
    const drawn = drawLine(line)
    const id = lines.get(drawn) ?? `l${lines.size}`
    lines.set(drawn, id)
    return id
  }
  const strip = frames.map(({ title, rows }, index) => {
    const uses = rows.map((row, at) => (row.text === '' ? '' : `<use href="#${idOf(row)}" y="${at * cell.height}"/>`))
    const label = `<text class="t" x="${width / 2}" y="${22 - margin.top}">${escaped(title)}</text>`
    return `<g class="f" transform="translate(${index * width})">${label}${uses.join('')}</g>`
  })
  const defs = Array.from(lines, ([drawn, id]) => `<g id="${id}">${drawn}</g>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="what">
<title id="what">${escaped(description)}</title>
<style>${style}
${movement(frames, still)}
</style>
<defs>
<clipPath id="window"><rect width="${width}" height="${height}" rx="9"/></clipPath>
${defs.join('\n')}
</defs>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="var(--page)" stroke="var(--edge)"/>
<path d="M1 34V10a9 9 0 0 1 9-9H${width - 10}a9 9 0 0 1 9 9V34z" fill="var(--bar)"/>
<g clip-path="url(#window)"><g class="strip"><g transform="translate(0 ${margin.top})">
${strip.join('\n')}
</g></g></g>
</svg>
`
}

/** Where nothing moves, or may not, the frame `still` is shown. */
function movement(frames: readonly Frame[], still: number): string {
  const total = frames.reduce((sum, { ms }) => sum + ms, 0)
  let at = 0
  const steps = frames.map(({ ms }, index) => {
    const step = `${((at / total) * 100).toFixed(3)}%{transform:translateX(${-index * width}px)}`
    at += ms
    return step
  })
  const last = `100%{transform:translateX(${-(frames.length - 1) * width}px)}`
  return `.strip{transform:translateX(${-still * width}px);animation:film ${(total / 1000).toFixed(1)}s step-end infinite}
@media (prefers-reduced-motion:reduce){.strip{animation:none}}
@keyframes film{${steps.join('')}${last}}`
}

/** One element for each run of characters of one style; its length is given, because fonts differ in their widths. */
function drawLine({ text, styles }: StyledLine): string {
  const runs: string[] = []
  let from = 0
  while (from < text.length) {
    let to = from + 1
    while (to < text.length && styles[to] === styles[from]) to += 1
    const part = text.slice(from, to)
    const inner = part.trimEnd()
    const lead = inner.length - inner.trimStart().length
    if (inner.trim() !== '') runs.push(drawRun(inner.trim(), from + lead, styles[from] ?? ''))
    from = to
  }
  return runs.join('')
}

function drawRun(text: string, column: number, names: string): string {
  const x = round(margin.left + column * cell.width)
  const kind = names === '' ? '' : ` class="${names}"`
  return `<text x="${x}" y="14" textLength="${round(text.length * cell.width)}"${kind}>${escaped(text)}</text>`
}

const round = (number: number) => Math.round(number * 10) / 10
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** The rows of each frame, as they are seen. */
export function rowsOf(svg: string): readonly (readonly string[])[] {
  const lines = new Map(
    Array.from(svg.matchAll(/<g id="(l\d+)">(.*)<\/g>$/gm), ([, id = '', drawn = '']) => [id, readLine(drawn)]),
  )
  return Array.from(svg.matchAll(/^<g class="f".*$/gm), ([frame]) => {
    const rows: string[] = []
    for (const [, id = '', y] of frame.matchAll(/<use href="#(l\d+)" y="(\d+)"/g))
      rows[Number(y) / cell.height] = lines.get(id) ?? ''
    return Array.from(rows, (row) => row ?? '')
  })
}

function readLine(drawn: string): string {
  return Array.from(drawn.matchAll(/<text x="([\d.]+)"[^>]*>([^<]*)</g)).reduce((line, [, x, text = '']) => {
    const column = Math.round((Number(x) - margin.left) / cell.width)
    return line.padEnd(column) + unescaped(text)
  }, '')
}
