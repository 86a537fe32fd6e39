/** The Deployments and policies of the bench. */
import type { KubeObject } from '../../src/kube/index.ts'
import type { RolloutPolicy } from '../../src/rollouts/index.ts'

type Spec = RolloutPolicy['spec']
type Hook = NonNullable<Spec['lifecycleHooks']>[number]

export function deployment(namespace: string, name: string, replicas: number): KubeObject & { spec: object } {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name, labels: { app: name } },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name) },
  }
}

function template(name: string): object {
  const container = {
    name: 'web',
    image: imageOf(1),
    ports: [{ name: 'http', containerPort: 8080 }],
    env: [
      { name: 'DATABASE', value: 'postgres://db.example/shop' },
      { name: 'LEVEL', value: 'info' },
    ],
    readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
    resources: { requests: { cpu: '1m', memory: '1Mi' } },
  }
  return { metadata: { labels: { app: name } }, spec: { terminationGracePeriodSeconds: 1, containers: [container] } }
}

/** What `kubectl set image` sends. */
export function changeTo(revision: number): object {
  return { spec: { template: { spec: { containers: [{ name: 'web', image: imageOf(revision) }] } } } }
}

export function imageOf(revision: number): string {
  return `example/web:${revision}`
}

export function policy(namespace: string, name: string, hooks: readonly Hook[]): RolloutPolicy {
  return {
    apiVersion: 'carabiner.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { namespace, name },
    spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, lifecycleHooks: hooks },
  }
}

function at(progressPoint: number | string): Pick<Hook, 'trigger'> {
  return { trigger: { type: 'ProgressAvailable', progressAvailableParams: { progressPoint } } }
}

export function job(name: string, point: number | string): Hook {
  const container = { name: 'hook', image: 'example/migrate:1', command: ['migrate'] }
  const jobSpec = { backoffLimit: 0, template: { spec: { restartPolicy: 'Never', containers: [container] } } }
  return { name, ...at(point), jobSpec }
}

export function pod(name: string, point: number | string): Hook {
  return { name, ...at(point), execNewPod: { containerName: 'web', command: ['migrate'] } }
}
