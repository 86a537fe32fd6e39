/**
 * A new user in front of a terminal, with nothing but the pages: types what they say, line by line, and opens another terminal where a program
 * goes on running. Every screen is kept.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { helmPath, kubectlPath } from '../cluster/programs.ts'
import { freePort } from '../control-plane/programs.ts'
import { installPackage } from './install-package.ts'
import { type Block, blocksOf, type Command, commandsOf } from './pages.ts'
import { StandIns } from './stand-ins.ts'
import { parseStyled, type StyledLine, wrapped } from './styled.ts'
import { type Terminal, Terminals } from './terminal.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const rows = 24
/** Long enough for the build at the first start of a checkout on a busy machine. */
const limitMs = 90_000

/** Programs that run until they are interrupted, and the last of what they print when they are ready. */
const staysRunning: readonly (readonly [command: RegExp, isReady: RegExp])[] = [
  [/^(npm start|(npx )?carabiner up)\b/, /Ctrl-C/],
  [/^(npx )?carabiner (sandbox|run|shell-operator|deployer run)\b/, /is ready/],
]

export interface Screen {
  /** `1` is the terminal in which the user began. */
  readonly terminal: number
  /** Where the page says so. */
  readonly from: string
  readonly lines: readonly StyledLine[]
}

/** What the user does at one of the lines. */
export interface Choice {
  /** The user waits until this is shown, and not for the end of the command … */
  readonly until?: RegExp
  /** … and then presses these keys. */
  readonly press?: string
}

export interface Reading {
  /** Beginnings of lines that the user leaves out. */
  readonly leave?: readonly string[]
  readonly at?: Readonly<Record<string, Choice>>
  /** What the user waits for in the output of programs that go on running, instead of their own word. */
  readonly ready?: Readonly<Record<string, RegExp>>
}

export class Walker {
  readonly screens: Screen[] = []
  readonly #columns: number
  readonly #home: string
  readonly #terminals: Terminals
  readonly #standIns: StandIns
  readonly #open: Terminal[] = []
  readonly #running: Terminal[] = []
  /** Where terminals open and files are written. */
  #folder: string
  /** The terminal the user types into. */
  #at = -1
  #exported = ''

  private constructor(columns: number, home: string, terminals: Terminals) {
    this.#columns = columns
    this.#home = home
    this.#folder = join(home, 'carabiner')
    this.#terminals = terminals
    this.#standIns = new StandIns(home)
  }

  static async start(columns: number): Promise<Walker> {
    const home = mkdtempSync('/tmp/w-')
    mkdirSync(join(home, 'carabiner'))
    // The user may write files beside those of the checkout, which must not get into it.
    for (const name of readdirSync(checkout))
      if (name !== '.git') symlinkSync(join(checkout, name), join(home, 'carabiner', name))
    const programs = [kubectlPath, helmPath].flatMap((path) => (path === undefined ? [] : [dirname(path)]))
    const prefix = join(home, '.npm')
    const env = {
      HOME: home,
      LANG: 'C.UTF-8',
      PATH: [join(prefix, 'bin'), ...programs, process.env['PATH']].join(delimiter),
      // The default of root is the same for all.
      DEBUG_UNIX_SOCKET: join(home, 'debug.socket'),
      npm_config_prefix: prefix,
      npm_config_loglevel: 'error',
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    }
    return new Walker(columns, home, await Terminals.start(join(home, '.tmux'), { columns, rows }, env))
  }

  /** Goes to a new terminal, and gives the programs in it the cluster that was started. */
  async openTerminal(): Promise<void> {
    this.#open.push(await this.#terminals.open(this.#folder))
    this.#at = this.#open.length - 1
    if (this.#exported !== '') await this.#type({ line: this.#exported, ends: 0 }, 'the line printed in terminal 1')
  }

  /** Goes to an empty folder in which the package and what it needs are as npm installs them, from this checkout and not from a registry. */
  async openProject(name: string): Promise<void> {
    this.#folder = join(this.#home, name)
    installPackage(checkout, this.#folder)
    await this.openTerminal()
  }

  /** Does what the blocks of a section say. */
  async read(page: string, heading: string, reading: Reading = {}): Promise<void> {
    for (const block of blocksOf(page, heading)) {
      if (['sh', 'console'].includes(block.language)) await this.#typeAll(block, `${page}, ${heading}`, reading)
      else this.#save(block)
    }
  }

  async #typeAll(block: Block, from: string, { leave = [], at = {}, ready = {} }: Reading): Promise<void> {
    for (const command of commandsOf(block)) {
      if (leave.some((beginning) => command.line.startsWith(beginning))) continue
      const own = <T>(choices: Readonly<Record<string, T>>) =>
        Object.entries(choices).find(([beginning]) => command.line.startsWith(beginning))?.[1]
      const choice = own(at)
      const isReady = own(ready) ?? staysRunning.find(([pattern]) => pattern.test(command.line))?.[1]
      if (choice === undefined && isReady !== undefined) await this.#startRunning(command, from, isReady)
      else await this.#type(command, from, choice)
    }
  }

  async #type(command: Command, from: string, { until, press }: Choice = {}): Promise<void> {
    const terminal = this.#terminal
    await terminal.type(await this.#withFreePorts(command.line))
    if (until !== undefined) {
      await terminal.shows(until, limitMs)
      await this.#keep(from)
      if (press !== undefined) await terminal.press(press)
    }
    const code = await terminal.commandEnded(limitMs)
    if (until === undefined) await this.#keep(from)
    if (until !== undefined || code === command.ends || (command.ends === 'error' && code !== 0)) return
    const screen = this.screens.at(-1)?.lines.map(({ text }) => text) ?? []
    throw new Error(`${from}: ended with ${code}\n${screen.join('\n')}`)
  }

  async #startRunning(command: Command, from: string, isReady: RegExp): Promise<void> {
    const terminal = this.#terminal
    await terminal.type(await this.#withFreePorts(command.line))
    await terminal.shows(isReady, limitMs)
    await this.#keep(from)
    this.#running.push(terminal)
    const [exported] = /export KUBECONFIG=\S+/.exec((await terminal.output()).join('\n')) ?? []
    if (exported !== undefined) this.#exported = exported
    await this.openTerminal()
  }

  /** Walks go on side by side: a port that a page names is replaced by a free one, and the screens have the one of the page. */
  async #withFreePorts(line: string): Promise<string> {
    let typed = line
    for (const [, flag = '', port = ''] of line.matchAll(/(--(?:listen-)?port )([1-9]\d*)/g)) {
      const free = String(await freePort())
      this.#standIns.know(free, port)
      typed = typed.replace(`${flag}${port}`, `${flag}${free}`)
    }
    return typed
  }

  /** A block without a name is not a file, but an example. */
  #save({ note, text }: Block): void {
    if (note === '') return
    const path = join(this.#folder, note)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 })
  }

  async #keep(from: string): Promise<void> {
    const lines = parseStyled(await this.#terminal.output())
    this.screens.push({ terminal: this.#at + 1, from, lines: wrapped(this.#standIns.replace(lines), this.#columns) })
  }

  get #terminal(): Terminal {
    const terminal = this.#open[this.#at]
    if (terminal === undefined) throw new Error('no terminal is open')
    return terminal
  }

  /** Ends the programs that still run, the last one first, as Ctrl-C does. */
  async end(): Promise<void> {
    try {
      for (const terminal of this.#running.toReversed()) {
        await terminal.press('\x03')
        await terminal.commandEnded(limitMs)
      }
    } finally {
      await this.#terminals.close()
      rmSync(this.#home, { recursive: true, force: true })
    }
  }
}
