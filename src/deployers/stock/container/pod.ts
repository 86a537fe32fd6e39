/**
 * The pod of one run: an `init` container first, then `main` with the user's image and `wait` beside it. The user's container gets
 * neither a service account token nor the registry credentials, which only the kubelet uses.
 */
import type { KubeObject } from '../../../kube/index.ts'
import type { ContainerConfiguration, ContainerSettings } from './configuration.ts'
import { environment, folders, type Operation } from './paths.ts'
import { initScript, waitScript } from './scripts.ts'

export interface PodInput {
  readonly name: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly operation: Operation
  readonly config: ContainerConfiguration
  readonly settings: ContainerSettings
  /** The secrets with the state of the last run, in order. */
  readonly state: readonly string[]
  readonly hasPullSecret: boolean
}

export const serviceAccount = 'carabiner-container-wait'
export const inputSecretName = (run: string) => `${run}-input`
export const pullSecretName = (run: string) => `${run}-pull`
export const resultSecretName = (run: string) => `${run}-result`

export function podFor(material: PodInput): KubeObject {
  const { name, namespace, labels, operation, config, settings, state, hasPullSecret } = material
  const env = environment(operation)
  const shared = { name: 'shared', mountPath: folders.shared }
  const internal = { name: 'internal', mountPath: folders.internal }
  const spec = {
    restartPolicy: 'Never',
    serviceAccountName: serviceAccount,
    automountServiceAccountToken: false,
    securityContext: { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000 },
    ...(hasPullSecret ? { imagePullSecrets: [{ name: pullSecretName(name) }] } : {}),
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
        volumeMounts: [shared, internal],
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
      { name: 'internal', secret: { secretName: inputSecretName(name), items: inputItems(config) } },
      { name: 'chunks', projected: { sources: state.map(chunkSource) } },
      { name: 'token', projected: { sources: tokenSources } },
    ],
  }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels: { ...labels } }, spec } as KubeObject
}

/** The file names are padded, so that they sort in the order of the chunks. */
function chunkSource(name: string, index: number) {
  return { secret: { name, items: [{ key: 'chunk', path: String(index).padStart(6, '0') }] } }
}

const tokenSources = [
  { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
]

/** Keys of a secret cannot contain slashes, so content files are numbered. */
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
