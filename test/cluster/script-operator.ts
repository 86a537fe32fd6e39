/** The built operator with a folder of real scripts, as a user starts it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Target } from './target.ts'

const program = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))

export type Told = Readonly<Record<string, unknown>>

export interface ScriptOperator {
  /** Where scripts may leave what they were told; `$OUT` for them. */
  readonly out: string
  /** The binding contexts a script has left, one array per run. */
  contexts(name: string): readonly (readonly Told[])[]
  /** Waits until `holds`, looking whenever a script left something or the operator said something. */
  until(what: string, holds: () => boolean, seconds?: number): Promise<void>
  get(path: string): Promise<string>
  /** Lines on either output. */
  readonly said: string[]
  /** Those on standard output. */
  readonly printed: string[]
  readonly pid: number
  stop(): Promise<void>
}

/**
 * A script that prints a configuration and keeps what it is told, then does what else it is given to do.
 * The API server asks several at once, so each waits for its turn: lines written at the same time would mix.
 */
export function keeping(config: object | string, more = ''): string {
  const text = typeof config === 'string' ? config : JSON.stringify(config)
  return `#!/usr/bin/env bash
if [[ "$1" == "--config" ]]; then
  cat <<'CONFIG'
${text}
CONFIG
  exit 0
fi
kept="$OUT/$(basename "$0")"
until mkdir "$kept.lock" 2> /dev/null; do sleep 0.01; done
(cat "$BINDING_CONTEXT_PATH"; echo) >> "$kept"
rmdir "$kept.lock"
${more}
`
}

export function startScripts(
  target: Target,
  flag: '--hooks-dir' | '--working-dir',
  scripts: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<ScriptOperator> {
  return startProgram(scripts, ({ hooks }) => ({
    args: [
      ...['run', flag, hooks, '--kubeconfig', target.kubeconfig, '--listen-port', '0', '--leader-election', 'false'],
      ...['--log-format', 'text', ...more],
    ],
  }))
}

/** The program with whatever flags and variables; `root` is removed afterwards. */
export async function startProgram(
  scripts: Readonly<Record<string, string>>,
  manner: (folders: { readonly root: string; readonly hooks: string }) => {
    readonly args: readonly string[]
    readonly env?: Readonly<Record<string, string>>
    /** A program with its arguments that starts another one, which it is given. @default none */
    readonly through?: readonly string[]
    /** Whether a line the operator said is worth being kept. @default all are */
    readonly isKept?: (line: string) => boolean
  },
): Promise<ScriptOperator> {
  const root = mkdtempSync(join(tmpdir(), 'carabiner-scripts-'))
  const out = join(root, 'out')
  mkdirSync(out)
  const hooks = join(root, 'hooks')
  for (const [name, text] of Object.entries(scripts)) {
    const path = join(hooks, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    chmodSync(path, 0o755)
  }
  const { args, env, through = [], isKept = () => true } = manner({ root, hooks })
  const [command = '', ...words] = [...through, process.execPath, program, ...args]
  const child = spawn(command, words, {
    env: { ...process.env, OUT: out, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  const printed: string[] = []
  const looking = new Set<() => void>()
  const address = await readyAddress(child, (line, stream) => {
    if (!isKept(line)) return
    said.push(line)
    if (stream === child.stdout) printed.push(line)
    for (const look of looking) look()
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}:\n${said.join('\n')}`)
  })
  const read = (name: string) => (existsSync(join(out, name)) ? readFileSync(join(out, name), 'utf8') : '')
  return {
    out,
    said,
    printed,
    pid: child.pid ?? 0,
    contexts: (name) =>
      read(name)
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Told[]),
    until: (what, holds, seconds = 60) =>
      new Promise((resolve, reject) => {
        const close = () => {
          clearTimeout(late)
          watcher.close()
          looking.delete(look)
        }
        const late = setTimeout(() => {
          close()
          reject(new Error(`not within ${seconds} s: ${what}; the operator said:\n${said.join('\n')}`))
        }, seconds * 1000)
        const look = () => {
          if (!holds()) return
          close()
          resolve()
        }
        const watcher = watch(out, look)
        looking.add(look)
        look()
      }),
    get: async (path) => (await fetch(`${address}${path}`)).text(),
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await exited
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function readyAddress(child: ChildProcess, heard: (line: string, stream: Readable) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        heard(line, stream)
        const address = /carabiner is ready: .*(http:\/\/[^/]+)\/metrics/.exec(line)?.[1]
        if (address !== undefined) resolve(address)
      })
    }
    // And not `exit`, which does not wait for the last words.
    child.once('close', (code) => reject(new Error(`the operator ended with ${code}`)))
  })
}
