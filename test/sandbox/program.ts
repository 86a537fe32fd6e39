/** Runs the built program as a user does. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  /** Resolves with everything written so far once a line matches. */
  line(pattern: RegExp): Promise<string>
  interrupt(): void
  /** SIGKILL. */
  kill(): void
  readonly ended: Promise<Ran>
}

/** `cwd` is the working directory; the current one by default. `wrapper` is a command that runs the program, for example as another user. */
export function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
  wrapper: readonly string[] = [],
): Running {
  const [command = process.execPath, ...before] = [...wrapper, process.execPath]
  const child = spawn(command, [...before, main, ...args], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  })
  const text = { stdout: '', stderr: '' }
  const waiting = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
      for (const look of waiting) look()
    })
  }
  const ended = new Promise<Ran>((resolve) => child.once('close', (code) => resolve({ code, ...text })))
  return {
    ended,
    interrupt: () => void child.kill('SIGINT'),
    kill: () => void child.kill('SIGKILL'),
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const all = text.stdout + text.stderr
          if (pattern.test(all)) resolve(all)
        }
        waiting.add(look)
        look()
        void ended.then(({ code, stdout, stderr }) =>
          reject(new Error(`ended with ${code} before ${pattern}:\n${stdout}${stderr}`)),
        )
      }),
  }
}

export function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return start(args, env).ended
}
