/** `carabiner item reconcile`, `force` and `abort`: operations of users, requested by the annotations of the contract. */
import { Command } from 'commander'
import { annotations, type DeployItem, isFinal, operations } from '../../deployers/index.ts'
import { secondTime } from '../../kube/index.ts'
import { CarabinerError, type Instant } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type Place, readTimeout } from '../place.ts'
import { readFormat } from '../terminal/listing.ts'
import { say } from '../terminal/say.ts'
import { findItem, itemHelp, itemsOf } from './items.ts'
import { report, type WaitOptions, waitOptions } from './status.ts'
import { waitForEnd } from './wait.ts'

export type Verb = 'reconcile' | 'force' | 'abort'

const texts: Readonly<Record<Verb, { readonly summary: string; readonly description: string; readonly done: string }>> =
  {
    reconcile: {
      summary: 'Have an item reconciled',
      description: 'Asks the deployer for another run, although nothing has changed.',
      done: 'is to be reconciled',
    },
    force: {
      summary: 'Have an item reconciled by force',
      description: 'Asks the deployer for a run of its force-reconcile function, which may replace objects.',
      done: 'is to be reconciled by force',
    },
    abort: {
      summary: 'End the run that is under way',
      description: 'Asks the deployer to stop the run that is under way; the item fails.',
      done: 'is to be aborted',
    },
  }

export function operateCommand(context: CliContext, verb: Verb): Command {
  const { summary, description, done } = texts[verb]
  const command = new Command(verb)
    .summary(summary)
    .description(
      `${description} With --wait exits with 0 when it has succeeded, 1 when it has failed, 3 while it is under way.`,
    )
    .argument('<item>', itemHelp)
  return waitOptions(command).action(async (name: string, options: WaitOptions) => {
    const format = readFormat(options.output)
    const limit = options.timeout === undefined ? undefined : readTimeout(options.timeout)
    await inCluster(context, options, async (place) => {
      const item = await operate(place, name, verb, context.runtime.clock.now())
      say(context.stderr, `deploy item ${name} ${done}\n`)
      if (options.wait !== true && limit === undefined) return
      report(context, item, await waitForEnd(context, place, item, limit), format)
    })
  })
}

/** The item as it is after the annotation. */
export async function operate(place: Place, name: string, verb: Verb, now: Instant): Promise<DeployItem> {
  const item = await findItem(place, name)
  const time = secondTime(now)
  const { phase } = item.status ?? {}
  if (verb === 'abort' && (phase === undefined || isFinal(phase)))
    throw new CarabinerError(
      'CRB_USAGE',
      `DeployItem ${place.namespace}/${name} has no run to abort: ${phase ?? 'not picked up'}`,
      { remedy: 'Only Init, Progressing and Deleting can be aborted; `carabiner item explain` shows what comes next.' },
    )
  const wanted =
    verb === 'abort'
      ? { [annotations.operation]: operations.abort, [annotations.abortTime]: time }
      : {
          [annotations.operation]: verb === 'force' ? operations.forceReconcile : operations.reconcile,
          // With it an item that no deployer picks up fails after the pickup timeout.
          [annotations.reconcileTime]: time,
        }
  const value = { metadata: { annotations: wanted } }
  return await itemsOf(place).patch(name, { type: 'merge', value }, { namespace: place.namespace })
}
