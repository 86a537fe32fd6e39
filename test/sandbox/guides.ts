/** Executes the blocks of a guide as a reader does: writes the files, starts the programs, types the commands, compares what is shown. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { helmPath, kubectlPath } from '../cluster/programs.ts'
import { type Running, start } from './program.ts'

const root = new URL('../../', import.meta.url)
const main = fileURLToPath(new URL('dist/bin/main.js', root))

export interface Block {
  readonly language: string
  /** The name of a file, or `background`. */
  readonly note: string
  readonly text: string
}

/** The blocks of a page, or of its section with this heading. */
export function blocksOf(page: string, heading?: string): readonly Block[] {
  const whole = readFileSync(new URL(page, root), 'utf8')
  const section = heading === undefined ? whole : whole.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))
  expect(section, `${page}: ${heading}`).toBeDefined()
  return [...(section ?? '').matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', note = '', text = '']) => ({ language, note, text }),
  )
}

/** The statements of a block: lines, with the rest of their here-document or continuation. */
export function statementsOf(text: string): readonly string[] {
  const statements: string[] = []
  let open: string | undefined
  for (const line of text.trimEnd().split('\n')) {
    const isContinued = open !== undefined || statements.at(-1)?.endsWith('\\') === true
    if (isContinued) statements.push(`${statements.pop()}\n${line}`)
    else if (line.trim() !== '' && !line.startsWith('#')) statements.push(line)
    if (line === open) open = undefined
    else open ??= /<<-?'?(\w+)'?/.exec(line)?.[1]
  }
  return statements
}

/** A terminal in a new folder, with `carabiner`, kubectl and helm on its PATH. */
export class Reader {
  readonly folder = mkdtempSync(join(tmpdir(), 'carabiner-guide-'))
  /** Everything the commands have printed. */
  said = ''
  readonly #background: Running[] = []
  readonly #env: Record<string, string>

  constructor() {
    const programs = [this.folder, dirname(kubectlPath ?? ''), dirname(helmPath ?? ''), process.env['PATH'] ?? '']
    this.#env = { PATH: programs.join(delimiter), HOME: this.folder }
    // As npm installs a program.
    chmodSync(main, 0o755)
    symlinkSync(main, join(this.folder, 'carabiner'))
  }

  /** Follows the page, or one section of it. */
  async follow(page: string, heading?: string): Promise<void> {
    for (const block of blocksOf(page, heading)) await this.#perform(block)
  }

  async #perform({ language, note, text }: Block): Promise<void> {
    if (language === 'console') {
      for (const [command = '', ...expected] of transcript(text)) {
        const { stdout, stderr } = this.type(command)
        compare(command, expected, stdout + stderr)
      }
    } else if (language === 'sh') {
      for (const statement of statementsOf(text)) {
        if (note === 'background') await this.#startInBackground(statement)
        else if (statement.startsWith('export ')) this.#export(statement)
        else this.type(statement)
      }
    } else if (note !== '') {
      const file = join(this.folder, note)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      if (text.startsWith('#!')) chmodSync(file, 0o755)
    }
  }

  #export(statement: string): void {
    const [, name = ''] = /^export (\w+)=/.exec(statement) ?? []
    this.#env[name] = this.type(`${statement}; printf %s "$${name}"`).stdout
  }

  /** Starts a program of the guide and waits until it is ready; on any free port, because tests run side by side. */
  async #startInBackground(line: string): Promise<void> {
    const [, ...words] = line.replace(/ --(listen-)?port \d+| +#.*/g, '').split(' ')
    const ports: Readonly<Record<string, readonly string[]>> = {
      up: ['--port', '0', '--listen-port', '0'],
      sandbox: ['--port', '0'],
      run: ['--listen-port', '0'],
      'shell-operator': ['--listen-port', '0'],
    }
    const program = start([...words, ...(ports[words[0] ?? ''] ?? [])], this.#env, this.folder)
    this.#background.push(program)
    const shown = await program.line(/Ctrl-C|sandbox is ready|is ready:/)
    // The reader runs the line that the cluster prints.
    const kubeconfig = /KUBECONFIG=(\S+)/.exec(shown)?.[1]
    if (kubeconfig !== undefined) this.#env['KUBECONFIG'] = kubeconfig
  }

  /** Runs a statement, and fails unless it ends as announced. */
  type(statement: string): SpawnSyncReturns<string> {
    const ran = spawnSync('bash', ['-c', statement], {
      cwd: this.folder,
      env: this.#env,
      encoding: 'utf8',
      timeout: 90_000,
    })
    const [, ending = '0'] = /# ends with (\d|an error)/.exec(statement) ?? []
    const status = ending === 'an error' && ran.status !== 0 ? ending : `${ran.status}`
    expect(`${statement}: ${status}\n${ran.stdout}${ran.stderr}`).toContain(`${statement}: ${ending}\n`)
    this.said += ran.stdout
    return ran
  }

  /** Resolves when a program in the background has logged such a line. */
  async isLogged(line: RegExp): Promise<void> {
    await Promise.any(this.#background.map((program) => program.line(line)))
  }

  async close(): Promise<void> {
    for (const program of this.#background.toReversed()) {
      program.interrupt()
      await program.ended
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The commands of a transcript, each with the lines shown below it. */
function transcript(text: string): readonly (readonly string[])[] {
  const parts: string[][] = []
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('$ ')) parts.push([line.slice(2)])
    else parts.at(-1)?.push(line)
  }
  return parts
}

/** Every shown line is printed, in this order. Ages, numbers and ids differ, and so does what `…` stands for. */
function compare(command: string, expected: readonly string[], printed: string): void {
  const actual = printed.split('\n').map(normal)
  let from = 0
  for (const line of expected) {
    const pattern = new RegExp(`^${normal(line).split('…').map(escaped).join('.*')}$`)
    const found = actual.findIndex((other, index) => index >= from && pattern.test(other))
    expect(found, `${command}\nshows no line like: ${line}\nbut:\n${printed}`).not.toBe(-1)
    from = found + 1
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Without what differs each time: widths of columns, hashes, numbers with their units. */
function normal(line: string): string {
  return line
    .replace(/(?<=-[0-9a-f]{10}-)[0-9a-z]{5}\b|\b[0-9a-f]{6,}\b/g, 'ID')
    .replace(/\d+(\.\d+)?( ?(ms|s|min|m|h|d))?\b/g, 'N')
    .replace(/ +/g, ' ')
    .trimEnd()
}
