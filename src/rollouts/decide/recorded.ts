/** A world as it is stored, with the decision about it: an example that decides the same in every version. */
import { canonicalJson, type Instant, type Json, sha256Hex } from '../../runtime/index.ts'
import type { World } from '../observe/index.ts'
import { compilePolicy } from '../policy/compile.ts'
import type { Decided } from './decide.ts'
import { writesOf } from './decision.ts'
import type { SituationName } from './situation.ts'

export interface RecordedWorld {
  readonly situation: SituationName
  readonly why: string
  /** The kinds of the writes in their order. */
  readonly writes: readonly string[]
  /** Of the whole decision. */
  readonly hash: string
  readonly now: Instant
  readonly world: Omit<World, 'compiled'>
}

export function recordWorld(world: World, now: Instant, { situation, decision }: Decided): RecordedWorld {
  const { compiled: _, ...rest } = world
  return {
    situation: situation.name,
    why: decision.why,
    writes: writesOf(decision).map(({ kind }) => kind),
    hash: sha256Hex(canonicalJson(plain(decision))).slice(0, 16),
    now,
    world: plain(rest) as unknown as RecordedWorld['world'],
  }
}

/** The world that was recorded. */
export function recordedWorld({ world }: RecordedWorld): World {
  return { ...world, compiled: compilePolicy(world.policy.spec) }
}

/** As JSON has it: without fields that are undefined, and without the managers, from which nothing is decided. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'managedFields' ? undefined : inner))) as Json
}
