/** Unix sockets: a place for one to be made, and rights for nobody but its owner. */
import { chmod, mkdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname } from 'node:path'

/** Makes the folder, and takes away a socket left behind by a process that was killed; one that somebody answers on stays. */
export async function makeRoomFor(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  if (!(await isAnswered(path))) await rm(path, { force: true })
}

export async function keepToOwner(path: string): Promise<void> {
  await chmod(path, 0o600)
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
