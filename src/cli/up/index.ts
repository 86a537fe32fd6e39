/** `carabiner up`: cluster, operator and samples in one process, in a second. */
import { join } from 'node:path'
import { Command } from 'commander'
import { deployersSurface, stockNames, surfaceOptions } from '../../deployers/index.ts'
import { createClient, type KubeClient, type KubeObject } from '../../kube/index.ts'
import { install, type RunningOperator, resolveSettings, startOperator } from '../../operator/index.ts'
import { rolloutsSurface } from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import { createRealRuntime } from '../../runtime/real/index.ts'
import { issueCertificate } from '../certificate.ts'
import type { CliContext } from '../context.ts'
import { seconds } from '../numbers.ts'
import { packageFolder } from '../package-folder.ts'
import { programVersion } from '../program-version.ts'
import { commandsNotice } from '../sandbox/commands-notice.ts'
import { type SandboxFlags, sandboxOptions, untilAborted } from '../sandbox/index.ts'
import { type ServedSandbox, serveSandbox } from '../sandbox/serve.ts'
import { paint } from '../terminal/paint.ts'
import { Progress } from '../terminal/progress.ts'
import { table } from '../terminal/table.ts'
import { applySamples, readSamples, untilEnd } from './samples.ts'

interface UpOptions extends SandboxFlags {
  readonly listenPort?: string
  readonly samples: string
  readonly check?: boolean
  readonly timeout: number
}

const shippedSamples = join(packageFolder(), 'examples')

export function command(context: CliContext): Command {
  return sandboxOptions(new Command('up'), 'process')
    .description(
      'Starts a cluster, the operator and samples in this process. For trying and testing: nothing is kept when it ends, unless --data names a folder.',
    )
    .option(
      '--listen-port <number>',
      'port of health, readiness and metrics; 0 takes any free port (default: 9115, or any free port if it is in use)',
    )
    .option('--samples <folder>', 'folder of manifests to apply', shippedSamples)
    .option('--check', 'wait until every sample is complete or failed, print a summary and exit with 0 or 1')
    .option('--timeout <seconds>', 'how long --check waits; exit code 3 at the timeout', seconds, 60)
    .action((options: UpOptions) => up(context, options))
}

async function up(context: CliContext, options: UpOptions): Promise<void> {
  // Progress is shown on the terminal, so only warnings and errors are logged.
  const runtime = createRealRuntime({ log: { level: 'warn', format: context.stderr.isTerminal ? 'text' : 'json' } })
  const progress = new Progress(context.stderr, runtime.clock)
  const ending = new AbortController()
  const signal = AbortSignal.any([context.signal, ending.signal])
  let served: ServedSandbox | undefined
  let operator: RunningOperator | undefined
  try {
    const samples = await readSamples(runtime.files, options.samples)
    progress.step('cluster')
    served = await serveSandbox(runtime, { ...options, command: 'up' })
    const client = createClient({ transport: served.sandbox.transport(), runtime })
    progress.step('operator')
    const { values: settings, sources } = resolveSettings({
      // A `run` of hooks or modules beside it, as the guides have it, has the usual Lease.
      flags: { listenPort: options.listenPort, leaseName: 'carabiner-up' },
      env: runtime.env,
    })
    const surfaces = [
      rolloutsSurface({ install: true, issue: issueCertificate }),
      // There is only this cluster, so samples may install into it without a kubeconfig.
      deployersSurface(
        surfaceOptions({
          deployers: stockNames.map((name) => ({ name })),
          targets: { allowInCluster: true, hostKubeconfig: served.kubeconfig },
        }),
      ),
    ]
    // The gate does not hold changes by the user of the operator, so it must differ from the user of the kubeconfig.
    const own = served.sandbox.transport({ name: 'system:carabiner', groups: ['system:masters'] })
    const operatorClient = createClient({ transport: own, runtime })
    await install(operatorClient, runtime, surfaces, signal)
    const operatorOptions = {
      runtime,
      client: operatorClient,
      settings,
      surfaces,
      identity: 'up',
      version: programVersion(),
    }
    operator = await startOperator(operatorOptions, signal).catch((error: unknown) => {
      // Another `up` may have the usual port.
      if (!(error instanceof CarabinerError) || error.code !== 'CRB_PORT_IN_USE' || sources.listenPort !== 'default')
        throw error
      return startOperator({ ...operatorOptions, settings: { ...settings, listenPort: 0 } }, signal)
    })
    // An operator that fails to start never becomes ready, but ends.
    await Promise.race([operator.ready, operator.ended])
    progress.step(served.isRestored ? 'objects of the last start' : `${samples.length} sample objects`)
    // After a restart with the same data, they are as the user left them.
    const applied = served.isRestored ? [] : await applySamples(client, runtime, samples, signal)
    progress.done('carabiner is ready')
    if (options.check) context.exit(await check(context, client, applied, options.timeout))
    else await waitForInterrupt(context, options, served, operator)
  } finally {
    progress.stop()
    ending.abort()
    await operator?.ended
    await served?.stop()
    await runtime.close()
  }
}

/** Prints addresses and next steps and waits until it is interrupted. */
async function waitForInterrupt(
  context: CliContext,
  options: UpOptions,
  served: ServedSandbox,
  operator: RunningOperator,
): Promise<void> {
  const { programName } = context
  const { bold, dim } = paint(context.stdout)
  const notice = commandsNotice(options)
  context.stdout.write(`
  API server   ${served.origin}  ${dim('for tests, on loopback only')}
  Metrics      http://127.0.0.1:${operator.port}/metrics
${notice === undefined ? '' : `\n${notice}\n`}
  ${bold(`export KUBECONFIG=${served.kubeconfig}`)}

Try in another terminal:
  kubectl get all -n shop
  kubectl set image -n shop deployment/orders orders=shop/orders:2
  kubectl rollout status -n shop deployment/orders   # fails: it is held
  ${`${programName} rollout status -n shop orders`.padEnd(48)}   # says why

Each example tells more:
  examples/05-rollout-hooks            a migration, and a test at half
  examples/06-stateful-rollout-hooks   an approval
  examples/07-daemon-rollout-hooks     a rollout that is undone on a failure
  examples/11-failed-migration         the commands above, and the fix

${ending(options)}
`)
  await untilAborted(AbortSignal.any([context.signal, served.stopRequested]))
}

function ending({ data }: UpOptions): string {
  return data === undefined
    ? 'Ctrl-C stops everything and keeps nothing.'
    : `Ctrl-C stops everything; the same --data continues with what is in ${data}.`
}

async function check(
  context: CliContext,
  client: KubeClient,
  applied: readonly KubeObject[],
  timeout: number,
): Promise<number> {
  const { runtime } = context
  const timedOut = new AbortController()
  const timer = runtime.clock.after(timeout * 1000, () => timedOut.abort())
  const signal = AbortSignal.any([context.signal, timedOut.signal])
  const ends = await Promise.all(
    applied.map(async (object) => {
      // One signal per object: Node.js warns about many listeners on one signal.
      const { state, message } = await untilEnd(client, runtime, object, AbortSignal.any([signal])).catch(() => ({
        state: 'working',
        message: 'in progress',
      }))
      return {
        name: `${object.kind.toLowerCase()}/${object.metadata.name}`,
        namespace: object.metadata.namespace ?? '',
        state,
        message,
      }
    }),
  )
  timer.cancel()
  context.stdout.write(
    table(
      ['object', 'namespace', 'state', { head: 'message', shrinks: 'end' }],
      ends.map((end) => [end.name, end.namespace, end.state, end.message]),
      context.stdout,
    ),
  )
  const count = (state: string) => ends.filter((end) => end.state === state).length
  context.stdout.write(`${count('done')} done, ${count('failed')} failed, ${count('working')} in progress\n`)
  if (count('failed') > 0) return 1
  return count('working') > 0 ? 3 : 0
}
