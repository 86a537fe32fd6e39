/** What a page tells its reader to do: the fenced blocks of a section, in order. */
import { readFileSync } from 'node:fs'

export interface Block {
  /** `sh`, `bash`, `yaml`, `ts` … */
  readonly language: string
  /** The name of the file that holds the text (also as a comment in its first line), or `background`, or empty. */
  readonly note: string
  readonly text: string
}

/** `page` is a path in the repository, `heading` a heading of it without its signs. */
export function blocksOf(page: string, heading: string): readonly Block[] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  const fences = /^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm
  const blocks = Array.from(sectionOf(text, page, heading).matchAll(fences), ([, language, note, content]) => ({
    language: language ?? '',
    note: note || (/^\/\/ (\S+\.\w+)\n/.exec(content ?? '')?.[1] ?? ''),
    text: content ?? '',
  }))
  if (blocks.length === 0) throw new Error(`${page}: the section "${heading}" has no block`)
  return blocks
}

/** From the heading to the next one that is not below it. A line of a block may look like a heading. */
function sectionOf(text: string, page: string, heading: string): string {
  const lines = text.split('\n')
  const found: string[] = []
  let isInBlock = false
  let level = 0
  for (const line of lines) {
    if (line.startsWith('```')) isInBlock = !isInBlock
    const [, signs = '', title = ''] = isInBlock ? [] : (/^(#+) (.*)$/.exec(line) ?? [])
    if (level > 0 && signs.length > 0 && signs.length <= level) break
    if (title === heading) level = signs.length
    else if (level > 0) found.push(line)
  }
  if (level === 0) throw new Error(`${page} has no section "${heading}"`)
  return found.join('\n')
}

export interface Command {
  readonly line: string
  /** The exit code the page announces: `# ends with 3`, or any but 0 for `# ends with an error`. */
  readonly ends: number | 'error'
}

/** The commands of a block as they are typed, with the rest of a here-document or a continuation, without comments. In a `console` block they follow a `$`. */
export function commandsOf({ language, text }: Block): readonly Command[] {
  const lines = text.trimEnd().split('\n')
  const typed =
    language === 'console' ? lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)) : lines
  const commands: Command[] = []
  let open: string | undefined
  for (const line of typed) {
    const previous = commands.at(-1)
    const isContinued = open !== undefined || previous?.line.endsWith('\\') === true
    if (isContinued && previous !== undefined)
      commands.splice(-1, 1, { ...previous, line: `${previous.line}\n${line}` })
    else commands.push(commandOf(line))
    if (line === open) open = undefined
    else open ??= /<<-?'?(\w+)'?/.exec(line)?.[1]
  }
  return commands.filter(({ line }) => line !== '')
}

function commandOf(line: string): Command {
  const [, ends] = /\s# ends with (an error|\d+)/.exec(line) ?? []
  return {
    line: line.replace(/(^|\s+)# .*$/, '').trimEnd(),
    ends: ends === undefined ? 0 : ends === 'an error' ? 'error' : Number(ends),
  }
}
