/**
 * Kills process groups and removes folders when this process ends, also when it is killed with SIGKILL: a small shell reads them from a pipe,
 * which the system closes with this process. The shell has a session of its own, so that Ctrl-C does not end it first.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

const script = `set -f
newline='
'
groups= folders=
while read -r verb value; do
  case $verb in
    group) groups="$groups $value" ;;
    ended)
      rest=
      for group in $groups; do [ "$group" = "$value" ] || rest="$rest $group"; done
      groups=$rest ;;
    folder) folders="$folders$newline$value" ;;
  esac
done
for group in $groups; do kill -KILL -"$group" 2>/dev/null; done
IFS=$newline
for folder in $folders; do rm -rf -- "$folder"; done`

export class Guard {
  #shell: ChildProcess | undefined
  readonly #groups = new Set<number>()
  readonly #folders = new Set<string>()

  addGroup(id: number): void {
    this.#groups.add(id)
    this.#tell(`group ${id}`)
  }

  /** The group has ended: the system may give its id to another group. */
  removeGroup(id: number): void {
    this.#groups.delete(id)
    this.#shell?.stdin?.write(`ended ${id}\n`)
  }

  addFolder(path: string): void {
    if (this.#folders.has(path)) return
    this.#folders.add(path)
    this.#tell(`folder ${path}`)
  }

  /** A pipe is written to at once: even if this process is killed next, the shell has the line. */
  #tell(line: string): void {
    if (this.#shell === undefined) this.#start()
    else this.#shell.stdin?.write(`${line}\n`)
  }

  #start(): void {
    const env = { PATH: '/usr/bin:/bin' }
    const shell = spawn('/bin/sh', ['-c', script], { env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
    this.#shell = shell
    // The next group or folder starts another shell.
    const ended = () => {
      if (this.#shell === shell) this.#shell = undefined
    }
    shell.once('error', ended)
    shell.once('exit', ended)
    shell.unref()
    const pipe = shell.stdin as Socket | null
    pipe?.on('error', () => undefined)
    pipe?.unref()
    for (const id of this.#groups) pipe?.write(`group ${id}\n`)
    for (const path of this.#folders) pipe?.write(`folder ${path}\n`)
  }
}
