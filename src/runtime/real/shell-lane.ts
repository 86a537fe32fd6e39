/**
 * The shell script that runs programs one after the other. The shell prints the exit status of each program to its own output, which the
 * programs cannot write to. Programs get exactly their environment, although shells change some variables.
 */
import type { ShortProgram } from '../processes.ts'
import { readHead } from './head.ts'

type Environment = Readonly<Record<string, string>>

/** Paths of the two pipes that a program prints to. */
export type PipePair = readonly [stdout: string, stderr: string]

/** Part of every Unix. */
export const shell = '/bin/sh'

/** Variables that a shell sets for the programs it starts. */
const setByShell = ['PWD', 'OLDPWD', 'SHLVL']

/** Variables that have a meaning for the shell or are read-only. */
const reservedByShell = new Set('IFS OPTIND LINENO PPID UID EUID RANDOM SECONDS SHELLOPTS BASHOPTS'.split(' '))

/** Whether a shell passes on the whole environment: it drops names that are not valid shell variables. */
export function isPreservedByShell(env: Environment): boolean {
  return Object.keys(env).every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !reservedByShell.has(name))
}

/**
 * The pipes must exist and be open for reading, or the shell would block. They are used in turn; a pair is used again after a line on
 * standard input says that it has been read. At the end of standard input the shell exits.
 */
export function laneScript(programs: readonly ShortProgram[], pairs: readonly PipePair[], env: Environment): string {
  const restore = setByShell.map((name) => {
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

/** The bytes of an ELF header up to the machine type. */
const headBytes = 20

/** Whether the kernel can start a file: a shell would run a file that the kernel refuses as a shell script. */
export function isStartedByKernel(path: string): boolean {
  const head = headOf(path)
  if (head?.[0] === 0x23 && head[1] === 0x21) return true
  ownHead ??= headOf(process.execPath)
  return head !== undefined && machineOf(head) === machineOf(ownHead ?? new Uint8Array())
}

let ownHead: Uint8Array | undefined

/** The identification and the machine type (bytes 18 and 19) of an ELF header. */
function machineOf(head: Uint8Array): string {
  return [...head.subarray(0, 7), ...head.subarray(18, headBytes)].join(' ')
}

function headOf(path: string): Uint8Array | undefined {
  try {
    return readHead(path, headBytes)
  } catch {
    return undefined
  }
}
