/** The pod of one run: `init` before, `main` with the user's image, `wait` beside it. The user's container gets no token. */
import type { KubeObject } from '../../../kube/object.ts'
import type { ContainerConfiguration, ContainerSettings } from './configuration.ts'
import { environment, folders, type Operation } from './paths.ts'
import { initScript, waitScript } from './scripts.ts'

export interface PodMaterial {
  readonly name: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly operation: Operation
  readonly config: ContainerConfiguration
  readonly settings: ContainerSettings
  /** Secrets of the last run that hold its state, in order. */
  readonly state: readonly string[]
  readonly hasPullSecret: boolean
}

export const serviceAccount = 'carabiner-container-wait'
export const inputOf = (run: string) => `${run}-input`
export const pullSecretOf = (run: string) => `${run}-pull`
export const resultOf = (run: string) => `${run}-result`

export function podFor(material: PodMaterial): KubeObject {
  const { name, namespace, labels, operation, config, settings, state, hasPullSecret } = material
  const env = environment(operation)
  const shared = { name: 'shared', mountPath: folders.shared }
  const registries = hasPullSecret ? [{ name: 'registries', mountPath: folders.registrySecrets }] : []
  const internal = { name: 'internal', mountPath: folders.internal }
  const spec = {
    restartPolicy: 'Never',
    serviceAccountName: serviceAccount,
    automountServiceAccountToken: false,
    securityContext: { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000 },
    ...(hasPullSecret ? { imagePullSecrets: [{ name: pullSecretOf(name) }] } : {}),
    initContainers: [
      {
        name: 'init',
        image: settings.initImage ?? 'busybox:1.37',
        command: ['sh', '-c', initScript],
        env,
        volumeMounts: [shared, internal, { name: 'chunks', mountPath: folders.chunks }],
      },
    ],
    containers: [
      {
        name: 'main',
        image: config.image ?? settings.defaultImage ?? 'ubuntu:18.04',
        ...(config.command === undefined ? {} : { command: config.command }),
        ...(config.args === undefined ? {} : { args: config.args }),
        env,
        volumeMounts: [shared, internal, ...registries],
      },
      {
        name: 'wait',
        image: settings.waitImage ?? 'alpine/k8s:1.34.1',
        command: ['sh', '-c', waitScript],
        env: [...env, { name: 'POD', value: name }, { name: 'RUN', value: name }],
        volumeMounts: [shared, { name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
      },
    ],
    volumes: [
      { name: 'shared', emptyDir: {} },
      { name: 'internal', secret: { secretName: inputOf(name), items: inputItems(config) } },
      { name: 'chunks', projected: { sources: state.map(chunkSource) } },
      ...(hasPullSecret
        ? [
            {
              name: 'registries',
              secret: { secretName: pullSecretOf(name), items: [{ key: '.dockerconfigjson', path: 'config.json' }] },
            },
          ]
        : []),
      { name: 'token', projected: { sources: tokenSources } },
    ],
  }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels: { ...labels } }, spec } as KubeObject
}

/** Named so that their order is that of their names. */
function chunkSource(name: string, index: number) {
  return { secret: { name, items: [{ key: 'chunk', path: String(index).padStart(6, '0') }] } }
}

const tokenSources = [
  { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
]

/** Keys of secrets cannot be paths, so that files of the content are numbered. */
function inputItems({ componentDescriptor, content }: ContainerConfiguration) {
  return [
    { key: 'configuration.json', path: 'configuration.json' },
    { key: 'import.json', path: 'import.json' },
    ...(componentDescriptor === undefined
      ? []
      : [{ key: 'component_descriptor.json', path: 'component_descriptor.json' }]),
    ...Object.keys(content).map((path, index) => ({ key: `content-${index}`, path: `content/${path}` })),
  ]
}
