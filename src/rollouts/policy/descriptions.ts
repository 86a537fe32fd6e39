/**
 * What every field of a RolloutPolicy's spec means, by its path: for `kubectl explain` and for the reference page, which are both made from it. A field
 * without a sentence here does not get into either, and a test says so.
 */
import type { Schema } from '../../schema/schema.ts'

const action: Readonly<Record<string, string>> = {
  jobSpec: 'A Job to run, as in batch/v1. ttlSecondsAfterFinished is left out: retainPolicy decides what stays.',
  execNewPod: 'A command in a new pod of a container of the workload’s template, with its image and environment.',
  'execNewPod.containerName': 'The container of the template.',
  'execNewPod.command': 'The command and its arguments.',
  'execNewPod.env': 'Variables that win over those of the container.',
  'execNewPod.volumes': 'Names of the template’s volumes to mount as the container does.',
  http: 'A call that the operator makes, at least once: calls with the same idempotency-key header are the same.',
  'http.url': 'Where to.',
  'http.method': 'POST unless given.',
  'http.headers': 'Headers, with a value or with one from a secret of the namespace.',
  'http.headers[].name': 'The name of the header.',
  'http.headers[].value': 'Its value.',
  'http.headers[].valueFrom': 'Where the value comes from; read when the call is made, and kept nowhere.',
  'http.headers[].valueFrom.secretKeyRef': 'Name and key of a secret.',
  'http.headers[].valueFrom.secretKeyRef.name': 'The secret.',
  'http.headers[].valueFrom.secretKeyRef.key': 'The key in it.',
  'http.body': 'Text in which $(to) and the like stand for facts of the rollout; all of them as JSON unless given.',
  'http.expect': 'What means success; any code from 200 to 299 unless given.',
  'http.expect.codes': 'Status codes that mean success.',
  'http.tls': 'How the other side is believed.',
  'http.tls.caBundle': 'Authorities to believe, PEM text in base64.',
  'http.tls.insecureSkipVerify': 'Believe anybody.',
  approval: 'Somebody says yes or no, with carabiner rollout approve.',
  'approval.message': 'The question.',
  'approval.timeout': 'How long to wait for an answer, such as 1h30m; for ever unless given.',
  'approval.onTimeout': 'What no answer means; Fail unless given.',
  retry: 'How often and how soon it is tried again, with failurePolicy Retry.',
  'retry.limit': 'Attempts after the first; without end unless given.',
  'retry.backoffSeconds': 'Pause before the second attempt, doubled every time; 10 unless given.',
  'retry.maxBackoffSeconds': 'The longest pause; 300 unless given.',
  timeoutSeconds: 'A run that takes longer has failed; without end unless given, 30 for http.',
}

const handler = (name: string, when: string, policies: string): Readonly<Record<string, string>> => ({
  [`lifecycle.${name}`]: when,
  [`lifecycle.${name}.failurePolicy`]: policies,
  ...below(`lifecycle.${name}`, action),
})

/** Sentences by the path of a field; the empty path is the object itself. */
export type Sentences = Readonly<Record<string, string>>

export const specSentences: Sentences = {
  '': 'Which hooks run at which points when the template of a workload changes.',
  targetRef: 'The workload in the same namespace. It cannot change.',
  'targetRef.apiVersion': 'apps/v1.',
  'targetRef.kind': 'What it is.',
  'targetRef.name': 'What it is called.',
  lifecycle: 'Hooks in the words of deployment hooks, one for each moment.',
  ...handler(
    'pre',
    'Before any new pod.',
    'Retry until it succeeds, Abort the rollout, or go on: Ignore and Continue mean the same.',
  ),
  ...handler('mid', 'Deployments with strategy Recreate: old pods are gone, no new one is there.', 'As for pre.'),
  ...handler(
    'post',
    'When the rollout is complete.',
    'As for pre, without Abort: what is rolled out cannot be aborted.',
  ),
  lifecycleHooks: 'Hooks in the words of lifecycle hooks, at points of the rollout; several may share one.',
  'lifecycleHooks[].name': 'Its name in this policy, of at most 40 characters; not pre, mid or post.',
  'lifecycleHooks[].trigger': 'When it runs.',
  'lifecycleHooks[].trigger.type': 'ProgressAvailable at a point, Aborted after an abort.',
  'lifecycleHooks[].trigger.progressAvailableParams': 'The point; only with ProgressAvailable.',
  'lifecycleHooks[].trigger.progressAvailableParams.progressPoint':
    'A number of new available pods, or a percentage of the replicas: the exact point, or the next one after it.',
  'lifecycleHooks[].failurePolicy': 'Abort the rollout, Retry, or go on: Ignore and Continue mean the same.',
  'lifecycleHooks[].retainPolicy':
    'Whether its Job or pod stays until the revision goes: Always, OnFailure (otherwise it goes some seconds after the rollout) or Never (it goes right after the hook).',
  'lifecycleHooks[].on':
    'Types of rollout it runs in; rolloutTypes unless given. Write it in quotes: YAML reads a bare on as true.',
  ...below('lifecycleHooks[]', action),
  rolloutTypes: 'Types of rollout that run hooks. CREATE is the first one, which only Deployments can be held in.',
  onAbort:
    'Hold leaves the workload where it is, at mid without a pod; Undo goes back to the revision it came from, except from a way back, which is held.',
  suspend: 'Leaves the workload alone: rollouts pass without hooks.',
  historyLimit: 'How many ended rollouts the status keeps.',
  openshiftEnvironment: 'Adds OPENSHIFT_DEPLOYMENT_NAME and OPENSHIFT_DEPLOYMENT_NAMESPACE to containers of hooks.',
}

function below(path: string, names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(names).map(([name, text]) => [`${path}.${name}`, text]))
}

/** The schema with a description wherever there is a sentence for it. */
export function described(schema: Schema, sentences: Sentences, path = ''): Schema {
  const description = sentences[path]
  const join = (name: string) => (path === '' ? name : `${path}.${name}`)
  const properties =
    schema.properties &&
    Object.fromEntries(
      Object.entries(schema.properties).map(([name, inner]) => [name, described(inner, sentences, join(name))]),
    )
  const items =
    schema.items && !Array.isArray(schema.items)
      ? described(schema.items as Schema, sentences, `${path}[]`)
      : schema.items
  return {
    ...schema,
    ...(description === undefined ? {} : { description }),
    ...(properties === undefined ? {} : { properties }),
    ...(items === undefined ? {} : { items }),
  } as Schema
}
