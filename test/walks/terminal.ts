/**
 * Terminals of one user, as tmux shows them: text is typed into a shell, and what the screen shows is read back. The client is in control mode,
 * in which tmux reports output as it appears, so that a wait reads the screen when it has changed and not at intervals.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { withoutStyles } from './styled.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

const shellStartMs = 20_000

interface Reply {
  resolve(lines: readonly string[]): void
  reject(error: Error): void
}

const hasTmux = spawnSync('tmux', ['-V']).status === 0
if (!hasTmux) process.stderr.write('skipping the walks: tmux is not in PATH (Debian: apt-get install tmux)\n')

export { hasTmux }

/** A tmux server with no configuration but this, and a window for each terminal. */
export class Terminals {
  readonly #client: ChildProcessWithoutNullStreams
  readonly #replies: Reply[] = []
  readonly #watching = new Set<() => void>()
  readonly #ended: Promise<void>

  private constructor(client: ChildProcessWithoutNullStreams) {
    this.#client = client
    this.#ended = new Promise((resolve) => client.once('close', () => resolve()))
    let block: string[] | undefined
    createInterface({ input: client.stdout }).on('line', (line) => {
      if (line.startsWith('%begin ')) block = []
      else if (block !== undefined && /^%(end|error) /.test(line)) {
        const reply = this.#replies.shift()
        if (line.startsWith('%end ')) reply?.resolve(block)
        else reply?.reject(new Error(`tmux: ${block.join('\n')}`))
        block = undefined
      } else if (block !== undefined) block.push(line)
      else if (line.startsWith('%output ')) for (const look of this.#watching) look()
    })
  }

  /** `socket` is a path of its own, so that a tmux of the user is not touched. */
  static async start(socket: string, size: Size, env: Readonly<Record<string, string>>): Promise<Terminals> {
    const client = spawn('tmux', ['-S', socket, '-f', '/dev/null', '-C', 'new-session', 'cat'], { env })
    const terminals = new Terminals(client)
    await new Promise<readonly string[]>((resolve, reject) => terminals.#replies.push({ resolve, reject }))
    await terminals.command(`refresh-client -C ${size.columns}x${size.rows}`)
    // Without its client it ends, and with it the programs in the terminals.
    for (const option of ['history-limit 5000', 'default-terminal tmux-256color', 'destroy-unattached on'])
      await terminals.command(`set-option -g ${option}`)
    return terminals
  }

  command(text: string): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      this.#replies.push({ resolve, reject })
      this.#client.stdin.write(`${text}\n`)
    })
  }

  /** Opens a terminal with a shell in `folder`. */
  async open(folder: string): Promise<Terminal> {
    const shell = `PS1='${prompt}' PROMPT_COMMAND='${countPrompts}' HISTFILE= exec bash --norc --noprofile`
    const [pane = ''] = await this.command(`new-window -d -P -F '#{pane_id}' -c ${quoted(folder)} ${quoted(shell)}`)
    const terminal = new Terminal(this, pane)
    await terminal.commandEnded(shellStartMs)
    return terminal
  }

  /** Calls `look` now and at each output until it returns true. */
  async when(look: () => Promise<boolean>, limitMs: number): Promise<boolean> {
    const change = { wake: () => {}, seen: 0 }
    const onOutput = () => {
      change.seen += 1
      change.wake()
    }
    this.#watching.add(onOutput)
    const deadline = performance.now() + limitMs
    try {
      for (;;) {
        const before = change.seen
        if (await look()) return true
        const leftMs = deadline - performance.now()
        if (leftMs <= 0) return false
        if (change.seen === before) await woken(change, leftMs)
      }
    } finally {
      this.#watching.delete(onOutput)
    }
  }

  async close(): Promise<void> {
    this.command('kill-server').catch(() => {})
    await this.#ended
  }
}

/**
 * The number of prompts so far and the exit code of the last command go into the title of the terminal, which no screen shows. They are part of the
 * prompt because the shell prints that when it is ready for what is typed.
 */
const prompt = String.raw`\[\e]2;$prompts $code\e\\\]$ `
const countPrompts = 'code=$? prompts=$((prompts + 1))'

/** One terminal: a shell that a user types into. */
export class Terminal {
  readonly #terminals: Terminals
  readonly #pane: string
  #prompts = 0
  #start = 0

  constructor(terminals: Terminals, pane: string) {
    this.#terminals = terminals
    this.#pane = pane
  }

  /** Types a line and the return key. */
  async type(line: string): Promise<void> {
    const { top, cursor } = await this.#place()
    this.#start = top + cursor
    await this.press(line)
    await this.press('\r')
  }

  /** Sends keys as bytes; `\x03` is Ctrl-C. */
  async press(keys: string): Promise<void> {
    const bytes = Array.from(Buffer.from(keys), (byte) => byte.toString(16))
    await this.#terminals.command(`send-keys -t ${this.#pane} -H ${bytes.join(' ')}`)
  }

  /** The lines since the last command was typed, as they were before the terminal broke them, with colours as escape sequences. */
  async output(): Promise<readonly string[]> {
    for (;;) {
      const { top } = await this.#place()
      const lines = await this.#terminals.command(`capture-pane -e -J -p -t ${this.#pane} -S ${this.#start - top}`)
      // Where the terminal scrolled meanwhile, other lines were meant.
      if ((await this.#place()).top !== top) continue
      const last = lines.findLastIndex((line) => !['', '$'].includes(withoutStyles(line).trim()))
      return lines.slice(0, last + 1)
    }
  }

  async #screen(): Promise<string> {
    return (await this.#terminals.command(`capture-pane -p -t ${this.#pane}`)).join('\n').trimEnd()
  }

  /** Waits until the output of the last command matches; fails when the command ends before. */
  async shows(pattern: RegExp, limitMs: number): Promise<void> {
    const isShown = async () => pattern.test((await this.output()).map(withoutStyles).join('\n'))
    const look = async () => (await isShown()) || (await this.#title()).prompts > this.#prompts
    await this.#terminals.when(look, limitMs)
    if (!(await isShown())) await this.#fail(`${pattern} was not shown`, limitMs)
  }

  /** Waits for the prompt after the last command and returns its exit code. */
  async commandEnded(limitMs: number): Promise<number> {
    const look = async () => (await this.#title()).prompts > this.#prompts
    if (!(await this.#terminals.when(look, limitMs))) await this.#fail('the command did not end', limitMs)
    const { prompts, code } = await this.#title()
    this.#prompts = prompts
    return code
  }

  async #title(): Promise<{ readonly prompts: number; readonly code: number }> {
    const [title = ''] = await this.#terminals.command(`display-message -p -t ${this.#pane} '#{pane_title}'`)
    const [, prompts = 0, code = 0] = (/^(\d+) (\d+)$/.exec(title) ?? []).map(Number)
    return { prompts, code }
  }

  async #place(): Promise<{ readonly top: number; readonly cursor: number }> {
    const format = "'#{history_size} #{cursor_y}'"
    const [line = ''] = await this.#terminals.command(`display-message -p -t ${this.#pane} ${format}`)
    const [top = 0, cursor = 0] = line.split(' ').map(Number)
    return { top, cursor }
  }

  async #fail(what: string, limitMs: number): Promise<never> {
    throw new Error(`${what} within ${limitMs / 1000} s; the screen:\n${await this.#screen()}`)
  }
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\$]/g, '\\$&')}"`
}

function woken(change: { wake: () => void }, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs)
    change.wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}
