/** Items whose target does not answer must not slow down others: the same items alone, and beside more unreachable items than a deployer has workers. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { BenchContext } from '../harness.ts'
import type { BenchCluster } from '../rollouts/cluster.ts'
import { Fleet, kubeconfigInside, namesOf, startDeployers } from './fleet.ts'
import { manifestItem } from './manifest.ts'

const amount = 100
const lost = 40
const rounds = 3

export async function unreachable(context: BenchContext, cluster: BenchCluster): Promise<void> {
  const silent = await startSilent()
  const operator = await startDeployers(cluster, ['manifest'])
  try {
    const fleet = await Fleet.in(cluster, 'mixed')
    const kubeconfig = kubeconfigInside(cluster.operatorKubeconfig)
    await fleet.target('here', kubeconfig)
    await fleet.target('nowhere', kubeconfig.replaceAll(/https:\/\/[^"]+/g, silent.origin))
    await cluster.runtime.clock.sleep(3000)
    const time = async (prefix: string) => {
      const names = namesOf(prefix, amount)
      const begun = performance.now()
      await fleet.create(names, manifestItem('here'))
      await fleet.succeeded(names)
      return (performance.now() - begun) / 1000
    }
    // The best of several rounds: other load on the machine can only add time.
    const best = async (prefix: string) => {
      const times: number[] = []
      for (let round = 0; round < rounds; round++) times.push(await time(`${prefix}-${round}`))
      return Math.min(...times)
    }
    await time('warm')
    const alone = await best('alone')
    await fleet.create(namesOf('lost', lost), manifestItem('nowhere'))
    const among = await best('among')
    context.report(`${amount} items alone`, alone, 's')
    context.report(`${amount} items among ${lost} with a target that does not answer`, among, 's')
    context.report('slower by the target that does not answer', among / alone, '×', { atMost: 1.5 })
  } finally {
    await operator.stop()
    silent.stop()
  }
}

/** Accepts every connection and never answers. */
async function startSilent(): Promise<{ readonly origin: string; stop(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
