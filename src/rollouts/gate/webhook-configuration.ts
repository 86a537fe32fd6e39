/**
 * The registration of the gate's webhook. Writes that cannot concern a gate are sorted out by the API server itself: while no process serves
 * the webhook, only changed templates of opted-in workloads are refused.
 */
import { clientConfig, type KubeObject, type ReachedBy } from '../../kube/index.ts'
import { installationLabels } from '../labels.ts'
import { changesTemplate, notByEngine, notReleased, touchesHeld } from './conditions.ts'
import { stamped } from './stamp.ts'

export interface WebhookOptions {
  /** User name of the engine, whose writes pass. */
  readonly engine: string
  readonly client: ReachedBy
  /** PEM text; without it the process that serves the webhook adds it. */
  readonly ca?: string
}

export const webhookConfigurationName = 'carabiner-gate'

type Configuration = KubeObject & { readonly webhooks: readonly object[] }

/** The one that changes writes, and the one that takes the second look. */
export function webhookConfigurations(options: WebhookOptions): readonly [Configuration, Configuration] {
  return [
    configuration('MutatingWebhookConfiguration', options, '/', { reinvocationPolicy: 'IfNeeded' }),
    configuration('ValidatingWebhookConfiguration', options, '/validate', {}),
  ]
}

function configuration(
  kind: string,
  { engine, client, ca }: WebhookOptions,
  path: string,
  options: object,
): Configuration {
  const common = {
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    matchPolicy: 'Equivalent',
    ...options,
    timeoutSeconds: 5,
    clientConfig: { ...clientConfig(client, path), ...(ca === undefined ? {} : { caBundle: btoa(ca) }) },
    rules: [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        operations: ['CREATE', 'UPDATE'],
        resources: ['deployments', 'statefulsets', 'daemonsets'],
        scope: 'Namespaced',
      },
    ],
  }
  const conditions = [notByEngine(engine), notReleased]
  const webhooks = [
    // A template that slips through while the operator is down could not be called back.
    {
      ...common,
      name: 'close.gate.carabiner.dev',
      failurePolicy: 'Fail',
      matchConditions: [...conditions, changesTemplate],
    },
    // The native controllers write to held workloads too, and must not be stopped.
    {
      ...common,
      name: 'pin.gate.carabiner.dev',
      failurePolicy: 'Ignore',
      matchConditions: [...conditions, touchesHeld],
    },
  ]
  return stamped(
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: webhookConfigurationName, labels: installationLabels },
      webhooks,
    },
    webhooks.map(({ clientConfig: _, ...rules }) => rules),
  )
}
