/** The policy a command is about: by its own name, or by the workload it is for. */
import { isNotFound } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { policyType, type RolloutPolicy, type TargetKind, type Workload } from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { Place } from '../place.ts'

const kinds: Readonly<Record<string, TargetKind>> = {
  deployment: 'Deployment',
  deployments: 'Deployment',
  deploy: 'Deployment',
  statefulset: 'StatefulSet',
  statefulsets: 'StatefulSet',
  sts: 'StatefulSet',
  daemonset: 'DaemonSet',
  daemonsets: 'DaemonSet',
  ds: 'DaemonSet',
}
/** As kubectl and `-o name` write a policy. */
const policyWord = /^(?:rop|rolloutpolicy|rolloutpolicies)(?:\.carabiner\.dev)?$/
export const workloadTypes = {
  Deployment: resources.deployments,
  StatefulSet: resources.statefulSets,
  DaemonSet: resources.daemonSets,
} as const

export const referenceHelp = 'name of the policy, or its workload such as deployment/web'

export async function findPolicy({ client, namespace }: Place, reference: string): Promise<RolloutPolicy> {
  const policies = client.of<RolloutPolicy>(policyType)
  const [first = '', second] = reference.split('/')
  const [word, name] = second === undefined ? ['rop', first] : [first.toLowerCase(), second]
  if (policyWord.test(word)) {
    try {
      return await policies.get(name, { namespace })
    } catch (error) {
      if (isNotFound(error)) throw notThere(`there is no RolloutPolicy ${namespace}/${name}`)
      throw error
    }
  }
  const kind = kinds[word.replace(/\.apps$/, '')]
  if (kind === undefined) {
    throw new CarabinerError('CRB_USAGE', `${reference}: the kind must be rop, deployment, statefulset or daemonset`)
  }
  const { items } = await policies.list({ namespace })
  const found = items.filter(({ spec: { targetRef } }) => targetRef.kind === kind && targetRef.name === name)
  // Of several, the one that has it.
  const [any] = found
  const holder = found.find(({ status }) => !status?.conditions?.some(({ reason }) => reason === 'TargetTaken'))
  if (any !== undefined) return holder ?? any
  throw notThere(`${kind} ${namespace}/${name} has no RolloutPolicy`)
}

function notThere(message: string): CarabinerError {
  const remedy = 'Choose the namespace with -n; carabiner rollout status -A lists all policies.'
  return new CarabinerError('CRB_USAGE', message, { remedy })
}

/** It cannot be done to the rollout as it is. */
export function notNow({ metadata: { namespace, name } }: RolloutPolicy, message: string): CarabinerError {
  const remedy = `See how far it is: carabiner rollout status -n ${namespace} ${name}`
  return new CarabinerError('CRB_USAGE', message, { remedy })
}

export async function findPolicies(
  { client, namespace }: Place,
  everywhere: boolean,
): Promise<readonly RolloutPolicy[]> {
  return (await client.of<RolloutPolicy>(policyType).list(everywhere ? {} : { namespace })).items
}

/** The one that is named, or the only one there is. */
export async function findOnly(place: Place, reference: string | undefined): Promise<RolloutPolicy> {
  if (reference !== undefined) return findPolicy(place, reference)
  const all = await findPolicies(place, false)
  const [only] = all
  if (only !== undefined && all.length === 1) return only
  if (only === undefined) throw notThere(`there is no RolloutPolicy in ${place.namespace}`)
  const names = all.map(({ metadata }) => metadata.name).join(', ')
  throw new CarabinerError('CRB_USAGE', `name one of the policies: ${names}`)
}

/** Undefined when there is none. */
export async function findTarget(
  { client, namespace }: Place,
  { spec: { targetRef } }: RolloutPolicy,
): Promise<Workload | undefined> {
  try {
    return await client.of<Workload>(workloadTypes[targetRef.kind]).get(targetRef.name, { namespace })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Tells the engine something by an annotation of the policy. */
export async function annotate(
  { client, namespace }: Place,
  { metadata }: RolloutPolicy,
  name: string,
  value: string,
): Promise<void> {
  const patch = { metadata: { annotations: { [name]: value } } }
  await client.of(policyType).patch(metadata.name, { type: 'merge', value: patch }, { namespace })
}
