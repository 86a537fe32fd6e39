/** Prepares the path of a unix socket and restricts the socket to its owner. */
import { chmod, mkdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname } from 'node:path'

/** Creates the folder and removes the socket of a killed process; a socket on which a process listens stays. */
export async function prepareSocketPath(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  if (!(await isListening(path))) await rm(path, { force: true })
}

export async function restrictToOwner(path: string): Promise<void> {
  await chmod(path, 0o600)
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
