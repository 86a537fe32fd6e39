/** The registration of the gate's webhook. Writes that cannot concern a gate are sorted out by the API server itself. */
import type { KubeObject } from '../../kube/object.ts'
import { closesOrPins, notByEngine, notReleased } from './conditions.ts'

export interface WebhookOptions {
  /** User name of the engine, whose writes pass. */
  readonly engine: string
  /** Where the API server reaches the webhook. */
  readonly client:
    | { readonly url: string }
    | {
        readonly service: {
          readonly namespace: string
          readonly name: string
          readonly path: string
          readonly port: number
        }
      }
  /** PEM text. */
  readonly ca: string
}

export const webhookName = 'gate.carabiner.dev'

export function webhookConfiguration({
  engine,
  client,
  ca,
}: WebhookOptions): KubeObject & { readonly webhooks: readonly object[] } {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'carabiner-gate' },
    webhooks: [
      {
        name: webhookName,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        // A template that slips through while the operator is down could not be called back.
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        reinvocationPolicy: 'IfNeeded',
        timeoutSeconds: 5,
        clientConfig: { ...client, caBundle: btoa(ca) },
        rules: [
          {
            apiGroups: ['apps'],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['deployments', 'statefulsets', 'daemonsets'],
            scope: 'Namespaced',
          },
        ],
        matchConditions: [notByEngine(engine), notReleased, closesOrPins],
      },
    ],
  }
}
