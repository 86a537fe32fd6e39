/**
 * What every field of a RolloutPolicy's spec means, by its path: for `kubectl explain` and for the reference page, which are both generated from
 * it. A test requires a sentence for every field.
 */
import type { Schema } from '../../schema/index.ts'

const action: Readonly<Record<string, string>> = {
  jobSpec:
    'A Job to run, as in batch/v1; $(containers.NAME.image) in it is the image of a container of the new template. ttlSecondsAfterFinished is ignored: retainPolicy decides how long the Job is kept.',
  execNewPod: 'A command in a new pod of a container of the workload’s template, with its image and environment.',
  'execNewPod.containerName': 'The container of the template.',
  'execNewPod.command': 'The command and its arguments.',
  'execNewPod.env': 'Variables that override those of the container.',
  'execNewPod.volumes': 'Names of the template’s volumes to mount as the container does.',
  'execNewPod.labels': 'Labels of the pod. Those of the operator cannot be replaced.',
  'execNewPod.annotations': 'Annotations of the pod.',
  http: 'An HTTP request that the operator sends at least once; repeats have the same idempotency-key header.',
  'http.url': 'URL to call.',
  'http.method': 'Method of the request. Default: POST.',
  'http.headers': 'Headers, with a value or a value from a Secret of the namespace.',
  'http.headers[].name': 'Name of the header.',
  'http.headers[].value': 'Value of the header.',
  'http.headers[].valueFrom': 'Source of the value; read for each request and not stored.',
  'http.headers[].valueFrom.secretKeyRef': 'Name and key of a Secret.',
  'http.headers[].valueFrom.secretKeyRef.name': 'Name of the Secret.',
  'http.headers[].valueFrom.secretKeyRef.key': 'Key in the Secret.',
  'http.body':
    'Body in which variables such as $(to) are replaced by facts of the rollout. Default: all facts as JSON.',
  'http.expect': 'Which answers mean success. Default: any status code from 200 to 299.',
  'http.expect.codes': 'Status codes that mean success.',
  'http.tls': 'TLS settings for the call.',
  'http.tls.caBundle': 'CA bundle (base64-encoded PEM).',
  'http.tls.insecureSkipVerify': 'Skip certificate verification.',
  approval: 'Waits until a person approves or rejects, with carabiner rollout approve.',
  'approval.message': 'Message for the person who approves.',
  'approval.timeout': 'How long to wait for the approval, such as 1h30m. Default: no limit.',
  'approval.onTimeout': 'What to do when the timeout passes without an answer. Default: Fail.',
  retry: 'How often and how soon a failed attempt is retried, with failurePolicy Retry.',
  'retry.limit': 'Attempts after the first. Default: no limit.',
  'retry.backoffSeconds': 'Seconds before the second attempt, doubled for each further attempt. Default: 10.',
  'retry.maxBackoffSeconds': 'Longest back-off in seconds. Default: 300.',
  timeoutSeconds: 'An attempt that takes longer has failed. Default: no limit, 30 for http.',
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
  'targetRef.kind': 'Kind of the workload.',
  'targetRef.name': 'Name of the workload.',
  lifecycle: 'Hooks in the words of deployment hooks, one for each moment.',
  ...handler(
    'pre',
    'Before any new pod.',
    'Retry until it succeeds, Abort the rollout, or continue the rollout: Ignore and Continue mean the same.',
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
  'lifecycleHooks[].failurePolicy': 'Abort the rollout, Retry, or continue it: Ignore and Continue mean the same.',
  'lifecycleHooks[].retainPolicy':
    'How long its Job or pod is kept: Always until the revision is deleted; OnFailure deletes it some seconds after the rollout if the hook succeeded; Never deletes it right after the hook.',
  'lifecycleHooks[].rolloutTypes': 'Types of rollout it runs in. If not given, those of the policy.',
  'lifecycleHooks[].on': 'Deprecated: the previous name of rolloutTypes.',
  ...below('lifecycleHooks[]', action),
  rolloutTypes:
    'Types of rollout in which hooks run that have no list of their own. UNDO is the way back from a rollout that did not complete, RESTART that of kubectl rollout restart, CREATE the first one, which only Deployments can be held in.',
  onAbort:
    'Hold leaves the workload where it is, at mid without a pod; Undo goes back to the revision it came from, except when the aborted rollout is itself an undo, which is held.',
  suspend: 'Does not hold the workload: rollouts pass without hooks.',
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
