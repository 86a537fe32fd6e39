/** Something has to be fixed before the policy can do anything: its condition names it. */
import type { Instant } from '../../runtime/index.ts'
import type { Proposal } from './decision.ts'
import type { Obstacle } from './obstacles.ts'
import { type SituationOf, verdictOf } from './situation.ts'
import { settle } from './status.ts'

export function decideGateMissing({ world, problem }: SituationOf<'GateMissing'>, now: Instant): Proposal {
  const message = `nothing holds rollouts back: ${problem}; run carabiner install`
  return settle(world.policy, verdictOf('GateMissing', message), now)
}

export function decideInvalidPolicy({ world, problems }: SituationOf<'InvalidPolicy'>, now: Instant): Proposal {
  const message = problems.map(({ field, message }) => `${field}: ${message}`).join('; ')
  return settle(world.policy, verdictOf('InvalidPolicy', message), now)
}

export function decideTargetNotFound({ world: { policy } }: SituationOf<'TargetNotFound'>, now: Instant): Proposal {
  const { kind, name } = policy.spec.targetRef
  const message = `there is no ${kind} ${name} in namespace ${policy.metadata.namespace}`
  return settle(policy, verdictOf('TargetNotFound', message), now)
}

export function decideObstacle({ name, world, message }: Obstacle, now: Instant): Proposal {
  return settle(world.policy, verdictOf(name, message), now)
}
