/** The policies a command is about with their workloads: from files, or from the cluster. */

import type { KubeObject } from '../../kube/index.ts'
import { parseManifests } from '../../kube/manifest/index.ts'
import {
  atRest,
  type CompiledPolicy,
  compilePolicy,
  kind as policyKind,
  type RolloutPolicy,
  type RolloutPolicySpec,
  readPolicy,
  type Workload,
} from '../../rollouts/index.ts'
import { append, CarabinerError, type Files } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { inCluster, type PlaceOptions } from '../place.ts'
import { readSamples } from '../up/samples.ts'
import { findPolicies, findPolicy, findTarget } from './policies.ts'

export interface Subject {
  readonly policy: RolloutPolicy
  readonly workload: Workload
  readonly compiled: CompiledPolicy
  /** Other policies for the same workload, by name: only one of them can have it. */
  readonly rivals: readonly string[]
}

interface Found {
  readonly policy: RolloutPolicy
  readonly workload: Workload | undefined
  readonly rivals: readonly string[]
}

/** Those that something can be said about; with the others nothing is wrong but themselves. */
interface Subjects {
  readonly subjects: readonly Subject[]
  /** To be called when everything is said about the others. */
  refuseOthers(): void
}

export async function subjectsOf(
  context: CliContext,
  reference: string | undefined,
  options: PlaceOptions & { readonly filename?: readonly string[] },
): Promise<Subjects> {
  const refusals: CarabinerError[] = []
  const found = await foundBy(context, reference, options, refusals)
  const subjects = each(found, sound, refusals)
  const refuseOthers = () => {
    const [first] = refusals
    if (first === undefined) return
    const { code, remedy } = first
    throw new CarabinerError(code, refusals.map(({ message }) => message).join('; '), { remedy })
  }
  if (subjects.length === 0) refuseOthers()
  return { subjects, refuseOthers }
}

/** What comes of those that are not refused. */
function each<T, R>(items: readonly T[], work: (item: T) => R, refusals: CarabinerError[]): readonly R[] {
  return items.flatMap((item) => {
    try {
      return [work(item)]
    } catch (error) {
      if (!(error instanceof CarabinerError)) throw error
      refusals.push(error)
      return []
    }
  })
}

async function foundBy(
  context: CliContext,
  reference: string | undefined,
  options: PlaceOptions & { readonly filename?: readonly string[] },
  refusals: CarabinerError[],
): Promise<readonly Found[]> {
  const { filename } = options
  if ((filename === undefined) === (reference === undefined))
    throw new CarabinerError('CRB_USAGE', 'name either a policy of the cluster or files with -f')
  if (filename !== undefined) return inFiles(context.runtime.files, filename, refusals)
  const found: Found[] = []
  await inCluster(context, options, async (place) => {
    const policy = await findPolicy(place, reference ?? '')
    const all = await findPolicies(place, false)
    found.push({ policy, workload: await findTarget(place, policy), rivals: rivalsOf(policy, all) })
  })
  return found
}

async function inFiles(files: Files, paths: readonly string[], refusals: CarabinerError[]): Promise<readonly Found[]> {
  const objects: KubeObject[] = []
  for (const path of paths) {
    const isFolder = (await files.facts(path))?.kind === 'directory'
    append(objects, isFolder ? await readSamples(files, path) : parseManifests(await files.readText(path), path))
  }
  const policies = objects.filter(({ kind }) => kind === policyKind)
  if (policies.length === 0) throw new CarabinerError('CRB_USAGE', `there is no RolloutPolicy in ${paths.join(', ')}`)
  const read = each(policies, readQuoted, refusals)
  return read.map((policy) => {
    const { kind, name } = policy.spec.targetRef
    const workload = objects.find(
      (object) =>
        object.kind === kind &&
        object.metadata.name === name &&
        (object.metadata.namespace ?? 'default') === (policy.metadata.namespace ?? 'default'),
    )
    return { policy, workload: workload as Workload | undefined, rivals: rivalsOf(policy, read) }
  })
}

function readQuoted(object: KubeObject): RolloutPolicy {
  refuseUnquoted(object)
  return readPolicy(object)
}

function rivalsOf(policy: RolloutPolicy, all: readonly RolloutPolicy[]): readonly string[] {
  const targetOf = ({ metadata: { namespace = 'default' }, spec: { targetRef } }: RolloutPolicy) =>
    `${namespace}/${targetRef.kind}/${targetRef.name}`
  return all
    .filter((other) => other.metadata.name !== policy.metadata.name && targetOf(other) === targetOf(policy))
    .map(({ metadata }) => metadata.name)
}

function sound({ policy, workload, rivals }: Found): Subject {
  const { kind, name } = policy.spec.targetRef
  if (workload === undefined)
    throw new CarabinerError('CRB_USAGE', `policy ${policy.metadata.name}: its target, ${kind} ${name}, is not there`, {
      remedy: `Look for a misspelt spec.targetRef.name, and for the namespace; with files, give that of the ${kind} too.`,
    })
  refuseUnfinished(workload)
  const compiled = compilePolicy(policy.spec)
  if ('problems' in compiled) {
    const said = compiled.problems.map(({ field, message }) => `${field}: ${message}`).join('; ')
    throw new CarabinerError('CRB_MANIFEST_INVALID', `policy ${policy.metadata.name}: ${said}`, {
      remedy: 'Fix the fields that the message names.',
    })
  }
  return { policy, workload: atRest(policy, workload), compiled, rivals }
}

/** What is left of it is for the server to say; without containers there is nothing to roll out. */
export function refuseUnfinished({
  kind,
  metadata,
  spec,
}: KubeObject & { readonly spec?: Partial<Pick<Workload['spec'], 'template'>> }): void {
  if (Array.isArray(spec?.template?.spec?.containers)) return
  throw new CarabinerError('CRB_MANIFEST_INVALID', `${kind} ${metadata.name} has no spec.template.spec.containers`, {
    remedy: 'Write the workload as it would be applied.',
  })
}

/** YAML takes the bare word for a truth value; a server would say of a field `true` that there is none, or drop it. */
function refuseUnquoted({ metadata, spec }: KubeObject & { readonly spec?: Partial<RolloutPolicySpec> }): void {
  const index = (spec?.lifecycleHooks ?? []).findIndex((hook) => 'true' in hook)
  if (index < 0) return
  throw new CarabinerError(
    'CRB_MANIFEST_INVALID',
    `policy ${metadata.name}: spec.lifecycleHooks[${index}] has a field true`,
    {
      remedy: 'Write "on" in quotes: YAML reads the bare word as true.',
    },
  )
}
