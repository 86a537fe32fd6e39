/** Compares the parts of the gate that are in the cluster with those that this version installs for the same user. */
import { isForbidden, isNotFound, type KubeClient, type KubeObject, unless } from '../../kube/index.ts'
import { append } from '../../runtime/index.ts'
import { installationSelector } from '../labels.ts'
import { admissionPolicies } from './admission-policies.ts'
import { engineIn, type MatchCondition } from './conditions.ts'
import { registrations } from './kinds.ts'
import { stampOf } from './stamp.ts'
import { validatingPolicies } from './validating-policies.ts'
import { webhookConfigurations } from './webhook-configuration.ts'

/** By kind and name, as kubectl takes them. */
export interface ComparedGate {
  readonly missing: readonly string[]
  /** Their rules are not those of this version. */
  readonly different: readonly string[]
  /** Not part of the gate that is installed. */
  readonly leftover: readonly string[]
}

type Registration = KubeObject & {
  readonly spec?: { readonly matchConditions?: readonly MatchCondition[] }
  readonly webhooks?: readonly { readonly matchConditions?: readonly MatchCondition[] }[]
}

export async function comparedGate(client: KubeClient): Promise<ComparedGate> {
  const found: Registration[] = []
  for (const type of Object.values(registrations)) {
    const list = await client
      .of<Registration>(type)
      .list({ labelSelector: installationSelector })
      .catch(unless(isNotFound, isForbidden))
    // Items of a list have no kind.
    append(
      found,
      (list?.items ?? []).map((item) => ({ ...item, kind: type.kind })),
    )
  }
  const wanted = wantedOf(found)
  const there = new Map(found.map((object) => [nameOf(object), stampOf(object)]))
  const names = new Set(wanted.map(nameOf))
  return {
    missing: wanted.map(nameOf).filter((name) => !there.has(name)),
    different: wanted.filter((one) => there.has(nameOf(one)) && there.get(nameOf(one)) !== stampOf(one)).map(nameOf),
    leftover: found.map(nameOf).filter((name) => !names.has(name)),
  }
}

/** Policies and webhooks at once are one gate too many: the policies count. */
function wantedOf(found: readonly Registration[]): readonly KubeObject[] {
  const conditionsOf = ({ spec, webhooks }: Registration) => (spec ?? webhooks?.[0])?.matchConditions ?? []
  const policy = found.find(({ kind }) => kind === 'MutatingAdmissionPolicy')
  const webhook = found.find(({ kind }) => kind === 'MutatingWebhookConfiguration')
  const engine = engineIn(conditionsOf(policy ?? webhook ?? ({} as Registration)))
  if (engine === undefined) return []
  if (policy !== undefined) return [...admissionPolicies(engine), ...validatingPolicies(engine)]
  return webhookConfigurations({ engine, client: { url: 'https://unknown/' } })
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind.toLowerCase()}/${metadata.name}`
}
