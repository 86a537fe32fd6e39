import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createRealHttpServers } from './http-server.ts'

const respond = async () => ({ status: 200, headers: {}, body: new Uint8Array() })
const { listen } = createRealHttpServers()

it.skipIf(!existsSync('/proc/net/tcp'))('names the process that listens on a port', async () => {
  const program =
    "require('net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })"
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const port = Number(line.toString())
    await expect(listen({ host: '127.0.0.1', port }, respond)).rejects.toMatchObject({
      code: 'CRB_PORT_IN_USE',
      message: `cannot listen on 127.0.0.1:${port}: the port is in use by process ${child.pid} (node)`,
    })
  } finally {
    child.kill('SIGKILL')
  }
})
