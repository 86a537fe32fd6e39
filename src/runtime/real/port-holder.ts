/** Which process listens on a port or a unix socket, from /proc of Linux. Processes of other users are known only to root. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import type { ListenAddress } from '../http.ts'

/** For example `process 4711 (node main.js)`; undefined where it cannot be known. */
export function holderOf(place: ListenAddress): string | undefined {
  const inodes = 'socket' in place ? socketInodes(place.socket) : portInodes(place.port)
  if (inodes.size === 0) return undefined
  const pid = namesIn('/proc').find((name) => /^\d+$/.test(name) && hasOpen(name, inodes))
  if (pid === undefined) return undefined
  const program = programOf(pid)
  return program === undefined ? `process ${pid}` : `process ${pid} (${program})`
}

/** The state of a listening socket in /proc/net/tcp. */
const listening = '0A'

function portInodes(port: number): ReadonlySet<string> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = ['tcp', 'tcp6'].flatMap((table) => rowsOf(`/proc/net/${table}`))
  // Columns: number, local address, remote address, state, …, inode.
  return new Set(
    rows.flatMap(([, local, , state, , , , , , inode]) =>
      local?.endsWith(suffix) === true && state === listening && inode !== undefined ? [inode] : [],
    ),
  )
}

function socketInodes(path: string): ReadonlySet<string> {
  // Columns: address, references, protocol, flags, type, state, inode, path.
  return new Set(
    rowsOf('/proc/net/unix').flatMap((row) => {
      const inode = row[6]
      return row.slice(7).join(' ') === path && inode !== undefined ? [inode] : []
    }),
  )
}

function rowsOf(table: string): readonly (readonly string[])[] {
  const text = orUndefined(() => readFileSync(table, 'utf8')) ?? ''
  return text.split('\n').map((line) => line.trim().split(/ +/))
}

function hasOpen(pid: string, inodes: ReadonlySet<string>): boolean {
  return namesIn(`/proc/${pid}/fd`).some((file) => {
    const target = orUndefined(() => readlinkSync(`/proc/${pid}/fd/${file}`))
    return inodes.has(/^socket:\[(\d+)\]$/.exec(target ?? '')?.[1] ?? '')
  })
}

/** The name of the program, and of the script that it runs. Other arguments are left out: they may contain secrets. */
function programOf(pid: string): string | undefined {
  const program = orUndefined(() => readlinkSync(`/proc/${pid}/exe`))
  const [, script = ''] = (orUndefined(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '').split('\0')
  if (program === undefined) return undefined
  return script.startsWith('/') ? `${basename(program)} ${basename(script)}` : basename(program)
}

function namesIn(folder: string): readonly string[] {
  return orUndefined(() => readdirSync(folder)) ?? []
}

/** A process may end while it is looked at, and much in /proc is readable only by its owner. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
