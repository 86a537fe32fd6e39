/**
 * Memory of running pods in a sandbox: prints the growth of the heap, in bytes, from an empty cluster to one where all of them run, after a
 * garbage collection. It runs in its own process, so that nothing else counts.
 */
import { createClient, type KubeObject, resources } from '../../src/kube/index.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'

const count = Number(process.argv[2])
const atOnce = 100

interface Pod extends KubeObject {
  readonly spec: object
}

const runtime = createRealRuntime({ log: { level: 'warn' } })
const sandbox = createSandbox(runtime, { nodes: Math.ceil(count / 1000) })
const client = createClient({ transport: sandbox.transport(), runtime })
const pods = client.of<Pod>(resources.pods)
await sandbox.ready
const before = await held()

const create = async (first: number): Promise<void> => {
  for (let index = first; index < count; index += atOnce) {
    const containers = [
      { name: 'web', image: 'web:1', ports: [{ containerPort: 8080 }], env: [{ name: 'A', value: 'b' }] },
    ]
    await pods.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `web-${index}`, namespace: 'default', labels: { app: 'web', index: String(index) } },
      spec: { containers },
    })
  }
}
await Promise.all(Array.from({ length: atOnce }, (_, first) => create(first)))
const others = { namespace: 'default', fieldSelector: 'status.phase!=Running', limit: 1 }
while ((await pods.list(others)).items.length > 0) await runtime.clock.sleep(500)
process.stdout.write(`${(await held()) - before}\n`)
process.exit(0)

async function held(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await runtime.clock.sleep(100)
    globalThis.gc?.()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
