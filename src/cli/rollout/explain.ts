/** `carabiner rollout explain`: what the engine finds a policy in, why, and what it writes next. */
import { Command } from 'commander'
import { type ExplainedPolicy, explainPolicy, recordWorld, type Write, writesOf } from '../../rollouts/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type PlaceOptions, placeOptions } from '../place.ts'
import { readTextFormat, serialize } from '../terminal/listing.ts'
import { printable } from '../terminal/printable.ts'
import { span } from '../terminal/span.ts'
import { findOnly, referenceHelp } from './policies.ts'

export function explainCommand(context: CliContext): Command {
  const explain = new Command('explain')
    .summary('Say what the engine finds, and why it does what it does next')
    .description(
      'Decides about a policy as the engine would, from what the cluster has now, and writes nothing. With -o json it prints everything that the decision was made from.',
    )
    .argument('[policy]', referenceHelp)
    .option('-o, --output <format>', 'json or yaml')
  return placeOptions(explain).action(
    async (reference: string | undefined, options: PlaceOptions & { readonly output?: string }) => {
      const format = readTextFormat(options.output)
      await inCluster(context, options, async (place) => {
        const policy = await findOnly(place, reference)
        const explained = await explainPolicy(place.client, context.runtime, policy, context.signal)
        const { world, now } = explained
        context.stdout.write(
          format === 'text' ? explanationText(explained) : serialize(recordWorld(world, now, explained), format),
        )
      })
    },
  )
}

export function explanationText({ world, now, situation, sentence, decision }: ExplainedPolicy): string {
  const { metadata, spec } = world.policy
  const writes = writesOf(decision).map(writeText)
  const { wakeAt, why } = decision
  const again = wakeAt === undefined ? 'when something changes' : `in ${span(Math.max(0, wakeAt - now))}`
  const lines = [
    `RolloutPolicy ${metadata.namespace}/${metadata.name} for ${spec.targetRef.kind} ${spec.targetRef.name}`,
    `situation  ${situation.name}: ${sentence}`,
    `why        ${why}`,
    ...(writes.length === 0
      ? ['writes     nothing']
      : writes.map((text, index) => `${index === 0 ? 'writes ' : '       '}    ${text}`)),
    `decides    again ${again}`,
  ]
  return lines.map((line) => `${printable(line)}\n`).join('')
}

function writeText(write: Write): string {
  return [write.kind, objectOf(write)].filter((part) => part !== '').join(' ')
}

function objectOf(write: Write): string {
  if ('run' in write) return `${write.run.hook}, attempt ${write.run.attempt}`
  if ('revision' in write) return write.revision.name
  if ('object' in write) return `${write.object.kind} ${write.object.name}`
  switch (write.kind) {
    case 'workload':
      return JSON.stringify(write.patch)
    case 'create-revision':
    case 'delete-pod':
      return write.name
    case 'event':
      return `${write.reason}: ${write.message}`
    case 'status':
    case 'finalizers':
      return 'of the policy'
    case 'clear-requests':
      return write.annotations.join(', ')
    case 'report-failed':
    case 'report-paused':
      return ''
  }
}
