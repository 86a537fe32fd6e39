/**
 * What a shell is told to run programs one after the other for us. It tells of each that is over, by its status, on its own output, which
 * they do not get to see. Programs must find the environment they were given, though a shell has ways of its own with some variables.
 */
import type { ShortProgram } from '../processes.ts'
import { readHead } from './head.ts'

type Environment = Readonly<Record<string, string>>

/** Paths of the two pipes that a program prints to. */
export type PipePair = readonly [stdout: string, stderr: string]

/** Part of every Unix. */
export const shell = '/bin/sh'

/** Shells set them for whatever they start. */
const changed = ['PWD', 'OLDPWD', 'SHLVL']

/** Shells count with them, or do not let them be set. */
const own = new Set('IFS OPTIND LINENO PPID UID EUID RANDOM SECONDS SHELLOPTS BASHOPTS'.split(' '))

/** Whether a shell passes all of it on: it drops what is no variable to it. */
export function passesThroughShell(env: Environment): boolean {
  return Object.keys(env).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !own.has(name))
}

/**
 * Pipes are there and open for reading, or it would wait at each. They are used in turn, and again when a line on standard input says that the
 * next one has been emptied. When there is no such line, the shell ends.
 */
export function laneScript(programs: readonly ShortProgram[], pairs: readonly PipePair[], env: Environment): string {
  const restore = changed.map((name) => {
    const value = env[name]
    return value === undefined ? `unset ${name}` : `${name}=${quoted(value)}`
  })
  const runs = programs.map(({ command, args = [], cwd }, index) => {
    const [stdout = '', stderr = ''] = pairs[index % pairs.length] ?? []
    const wait = index < pairs.length ? '' : 'read -r carabiner_next || exit; '
    const words = [command, ...args].map(quoted).join(' ')
    const run = `${words} </dev/null >${quoted(stdout)} 2>${quoted(stderr)}`
    return `${wait}cd ${quoted(cwd)} && { ${restore.join('; ')}; ${run}; }; echo "$?"`
  })
  return runs.join('\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** As much as says for which machine a program was made. */
const headSize = 20

/** Whether the system itself starts a file: what it refuses, a shell takes for a script of its own. */
export function startsBySystem(path: string): boolean {
  const head = headOf(path)
  if (head?.[0] === 0x23 && head[1] === 0x21) return true
  ownHead ??= headOf(process.execPath)
  return head !== undefined && machineOf(head) === machineOf(ownHead ?? new Uint8Array())
}

let ownHead: Uint8Array | undefined

/** What an executable in the usual format says in front: its format, and, in its tenth word, the processor. */
function machineOf(head: Uint8Array): string {
  return [...head.subarray(0, 7), ...head.subarray(18, headSize)].join(' ')
}

function headOf(path: string): Uint8Array | undefined {
  try {
    return readHead(path, headSize)
  } catch {
    return undefined
  }
}
