/**
 * The user as which `carabiner run` manages rollouts. The gate lets every write of that user pass, so with the user of a person no hook would
 * ever run for this person's changes: the operator acts as a user of its own, or does not start.
 */
import { isAllowed, type KubeClient } from '../../kube/index.ts'
import type { AccessRule } from '../../operator/index.ts'
import { engineUser, type GateKind, userNameOf } from '../../rollouts/index.ts'
import { CarabinerError, type Clock } from '../../runtime/index.ts'
import type { ConnectedCluster } from '../cluster.ts'

export interface Acting {
  readonly client: KubeClient
  /** Who acts as the operator's user; undefined when the user of the connection is the operator's own. */
  readonly impersonator?: string
}

/** Impersonates the operator's user where the credentials allow it. */
export async function actingAs(cluster: ConnectedCluster, gate: GateKind): Promise<Acting> {
  const { client, isInCluster } = cluster
  // At rest no user is let pass, and the service account of a pod is no person.
  if (gate === 'at-rest' || isInCluster || (await userNameOf(client)) === engineUser) return { client }
  const own = cluster.clientAs(undefined)
  const user = await userNameOf(own)
  if (user === engineUser) return { client: own }
  const right = { verb: 'impersonate', group: '', resource: 'users', name: engineUser }
  if (!(await isAllowed(own, right))) throw openToUser(user)
  return { client: cluster.clientAs(engineUser), impersonator: user }
}

function openToUser(user: string): CarabinerError {
  const role = 'carabiner-impersonator'
  return new CarabinerError(
    'CRB_GATE_OPEN_TO_USER',
    `user ${user} may not act as user ${engineUser}; as ${user} the operator would not hold any change that ${user} makes`,
    {
      remedy: `ask an administrator to run these two commands, and start again, or install the operator into the cluster (carabiner install --help):
  kubectl create clusterrole ${role} --verb=impersonate --resource=users --resource-name=${engineUser}
  kubectl create clusterrolebinding ${role} --clusterrole=${role} ${subjectFlag(user)}`,
    },
  )
}

function subjectFlag(user: string): string {
  const [, account] = /^system:serviceaccount:(.+)$/.exec(user) ?? []
  return account === undefined ? `--user=${quoted(user)}` : `--serviceaccount=${quoted(account)}`
}

/** A user name may contain any character. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

const grantTimeoutMs = 10_000
const grantPollMs = 100

/** API servers observe new roles through watches: rights that were granted a moment ago are waited for. */
export async function untilGranted(
  client: KubeClient,
  clock: Clock,
  rules: readonly AccessRule[],
  { isNew, signal }: { readonly isNew: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const deadline = clock.monotonic() + (isNew ? grantTimeoutMs : 0)
  for (;;) {
    const missing = await missingRights(client, rules)
    if (missing.length === 0) return
    if (clock.monotonic() >= deadline)
      throw new CarabinerError('CRB_API_FORBIDDEN', `user ${engineUser} may not ${missing.join(', ')}`, {
        remedy: 'Run `carabiner run --install` as an administrator: it grants these rights.',
      })
    await clock.sleep(grantPollMs, signal)
  }
}

/** One verb of every rule stands for all of them: a role is granted as a whole. */
async function missingRights(client: KubeClient, rules: readonly AccessRule[]): Promise<readonly string[]> {
  const asked = rules.flatMap(({ apiGroups, resources, verbs, resourceNames }) =>
    apiGroups.flatMap((group) =>
      resources.map((path) => {
        const [resource = '', subresource] = path.split('/')
        const [verb = ''] = verbs
        const name = resourceNames?.[0]
        const attributes = {
          ...{ verb, group, resource },
          ...(subresource === undefined ? {} : { subresource }),
          ...(name === undefined ? {} : { name }),
        }
        return { attributes, words: `${verb} ${group === '' ? path : `${path} (${group})`}` }
      }),
    ),
  )
  const allowed = await Promise.all(asked.map(({ attributes }) => isAllowed(client, attributes)))
  return asked.filter((_, index) => !allowed[index]).map(({ words }) => words)
}
