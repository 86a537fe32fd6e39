/** A cluster with gate and engine in one process and virtual time. */
import { createClient } from '../../src/kube/client/create.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { install } from '../../src/operator/install.ts'
import type { GateOptions } from '../../src/rollouts/gate/start.ts'
import { rolloutsSurface } from '../../src/rollouts/index.ts'
import type { HttpRequest } from '../../src/runtime/http.ts'
import { createSimulation } from '../../src/runtime/simulated/index.ts'
import { createSandbox, type Script } from '../../src/sandbox/index.ts'
import { type Stage as CommonStage, stageOn } from '../cluster/rollout-stage.ts'

export { at, hasEnded, isOver, isStarted, job } from '../cluster/rollout-stage.ts'

export interface Stage extends CommonStage {
  /** Stops the operator. */
  down(): Promise<void>
  /** Stops and starts the operator, as after a crash. */
  restart(): Promise<void>
  /** Number of writes of the engine so far, without events. */
  written(): number
  /** From now on matching requests of the engine are sent twice, as with stale caches; it receives the second response only. */
  repeat(matches: (request: HttpRequest) => boolean): void
  /** Warnings and errors logged by the operator so far. */
  complaints(): readonly string[]
}

/** A simulated command that contains `exit 1` fails, like those of the samples. */
const failsByExit: Script = (_, { command = [] }) =>
  command.some((part) => part.includes('exit 1')) ? { exitCode: 1 } : undefined

export async function play(
  seed: number,
  scenario: (stage: Stage) => Promise<void>,
  gate: Partial<GateOptions> = {},
  namespace = 'default',
): Promise<void> {
  const simulation = createSimulation(seed)
  await simulation.run(async () => {
    const { runtime } = simulation
    const sandbox = createSandbox(runtime, { nodes: 3, simulate: { script: failsByExit } })
    await sandbox.ready
    const client = createClient({ transport: sandbox.transport(), runtime })
    const own = sandbox.transport({ name: 'system:carabiner', groups: ['system:masters'] })
    let written = 0
    let isRepeated = (_: HttpRequest) => false
    const send: typeof own.send = async (sent) => {
      if (sent.method !== 'GET' && !sent.target.includes('/events')) written += 1
      if (isRepeated(sent)) await own.send(sent)
      return own.send(sent)
    }
    const engineClient = createClient({ transport: { ...own, send }, runtime })
    const signal = new AbortController()
    const surface = rolloutsSurface({
      install: true,
      issue: () => ({ ca: 'none', cert: 'none', key: 'none' }),
      ...gate,
    })
    await install(client, runtime, [surface], signal.signal)
    const start = async () => {
      const ending = new AbortController()
      const running = await surface.start({ client: engineClient, runtime, signal: ending.signal })
      await running.ready
      return async () => {
        ending.abort()
        await running.stop()
      }
    }
    let stop = await start()
    if (namespace !== 'default')
      await client
        .of(resources.namespaces)
        .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    const stage: Stage = {
      ...stageOn(client, runtime, namespace, signal.signal),
      async down() {
        await stop()
        stop = async () => {}
      },
      async restart() {
        await stage.down()
        stop = await start()
      },
      written: () => written,
      repeat(matches) {
        isRepeated = matches
      },
      complaints: () =>
        simulation.logs.filter(({ level }) => level !== 'debug' && level !== 'info').map(({ message }) => message),
    }
    try {
      await scenario(stage)
    } finally {
      signal.abort()
      await stop()
      await sandbox.stop()
    }
  })
}
