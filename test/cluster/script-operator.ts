/** Runs the built operator with a folder of real scripts, as a user starts it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Target } from './target.ts'

const program = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))

export type BindingContext = Readonly<Record<string, unknown>>

export interface ScriptOperator {
  /** The folder in which scripts store their contexts; `$OUT` for scripts. */
  readonly out: string
  /** The binding contexts stored by a script, one array per run. */
  contexts(name: string): readonly (readonly BindingContext[])[]
  /** Waits until `holds` returns true; checks after each output of a script or the operator. */
  until(what: string, holds: () => boolean, seconds?: number): Promise<void>
  get(path: string): Promise<string>
  /** Lines of standard output and standard error. */
  readonly outputLines: string[]
  /** Lines of standard output. */
  readonly stdoutLines: string[]
  readonly pid: number
  stop(): Promise<void>
}

/**
 * A script that prints its configuration, stores its contexts and runs the given commands. The API server calls several
 * hooks at once, so each takes a lock: concurrent writes would mix lines.
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

interface Launch {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /**
   * A wrapper command that starts the program.
   * @default none
   */
  readonly through?: readonly string[]
  /**
   * Whether a line of the operator is stored.
   * @default all
   */
  readonly isKept?: (line: string) => boolean
}

/** Runs the program with any flags and environment; `root` is removed afterwards. */
export async function startProgram(
  scripts: Readonly<Record<string, string>>,
  launch: (folders: { readonly root: string; readonly hooks: string }) => Launch,
): Promise<ScriptOperator> {
  const root = mkdtempSync(join(tmpdir(), 'carabiner-scripts-'))
  const out = join(root, 'out')
  mkdirSync(out)
  const hooks = join(root, 'hooks')
  writeScripts(hooks, scripts)
  const { args, env, through = [], isKept = () => true } = launch({ root, hooks })
  const [command = '', ...commandArgs] = [...through, process.execPath, program, ...args]
  const child = spawn(command, commandArgs, {
    env: { ...process.env, OUT: out, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const outputLines: string[] = []
  const stdoutLines: string[] = []
  const checks = new Set<() => void>()
  const address = await readyAddress(child, (line, stream) => {
    if (!isKept(line)) return
    outputLines.push(line)
    if (stream === child.stdout) stdoutLines.push(line)
    for (const check of checks) check()
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}:\n${outputLines.join('\n')}`)
  })
  const read = (name: string) => (existsSync(join(out, name)) ? readFileSync(join(out, name), 'utf8') : '')
  return {
    out,
    outputLines,
    stdoutLines,
    pid: child.pid ?? 0,
    contexts: (name) =>
      read(name)
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as BindingContext[]),
    until: (what, holds, seconds = 60) =>
      new Promise((resolve, reject) => {
        const close = () => {
          clearTimeout(timer)
          watcher.close()
          checks.delete(check)
        }
        const timer = setTimeout(() => {
          close()
          reject(new Error(`not within ${seconds} s: ${what}; the output of the operator:\n${outputLines.join('\n')}`))
        }, seconds * 1000)
        const check = () => {
          if (!holds()) return
          close()
          resolve()
        }
        const watcher = watch(out, check)
        checks.add(check)
        check()
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

function writeScripts(folder: string, scripts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(scripts)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    chmodSync(path, 0o755)
  }
}

function readyAddress(child: ChildProcess, onLine: (line: string, stream: Readable) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        onLine(line, stream)
        const address = /carabiner is ready: .*(http:\/\/[^/]+)\/metrics/.exec(line)?.[1]
        if (address !== undefined) resolve(address)
      })
    }
    // `close` instead of `exit`, because `exit` does not wait for the remaining output.
    child.once('close', (code) => reject(new Error(`the operator ended with ${code}`)))
  })
}
