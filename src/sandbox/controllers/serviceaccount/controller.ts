/** Creates the objects of every namespace: the service account `default` and the ConfigMap with the CA of the API server. */
import { isAlreadyExists, isNamespaceEnding, isNotFound, type KubeObject } from '../../../kube/index.ts'
import { type ConfigMap, type Namespace, resources } from '../../../kube/kinds/index.ts'
import { type Controller, type ControllerContext, enqueueAll } from '../loop/controller.ts'

const rootCaName = 'kube-root-ca.crt'

const rootCaDescription =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service ' +
  'IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

async function ignoring(action: Promise<unknown>, ...expected: ((error: unknown) => boolean)[]): Promise<void> {
  try {
    await action
  } catch (error) {
    if (!expected.some((matches) => matches(error))) throw error
  }
}

/** The key is the namespace; deleting one of its objects enqueues it again. */
function perNamespace(
  { informers }: ControllerContext,
  name: string,
  own: ReturnType<ControllerContext['informers']['of']>,
  ensure: (namespace: string) => Promise<void>,
): Controller {
  const namespaces = informers.of<Namespace>(resources.namespaces)
  return {
    name,
    watch(enqueue) {
      enqueueAll(namespaces, enqueue)
      own.subscribe((change) => {
        if (change.type !== 'added') enqueue(change.key.split('/')[0] ?? '')
      })
    },
    async sync(key) {
      const namespace = namespaces.get(key)
      if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return undefined
      await ensure(key)
      return undefined
    },
  }
}

export function serviceAccountController(context: ControllerContext): Controller {
  const { client, informers } = context
  const accounts = informers.of(resources.serviceAccounts)
  return perNamespace(context, 'service-account-controller', accounts, async (namespace) => {
    if (accounts.get(`${namespace}/default`) !== undefined) return
    const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } }
    await ignoring(client.of(resources.serviceAccounts).create(account), isAlreadyExists, isNamespaceEnding, isNotFound)
  })
}

/** `rootCa` is PEM text. */
export function rootCaPublisher(context: ControllerContext, rootCa: string): Controller {
  const { client, informers } = context
  const configMaps = informers.of<ConfigMap>(resources.configMaps)
  return perNamespace(context, 'root-ca-certificate-publisher', configMaps, async (namespace) => {
    const present = configMaps.get(`${namespace}/${rootCaName}`)
    const data = { 'ca.crt': rootCa }
    if (present?.data?.['ca.crt'] === rootCa) return
    const handle = client.of(resources.configMaps)
    if (present !== undefined) {
      await handle.patch(rootCaName, { type: 'merge', value: { data } }, { namespace })
      return
    }
    const annotations = { 'kubernetes.io/description': rootCaDescription }
    const metadata = { name: rootCaName, namespace, annotations }
    const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
    await ignoring(handle.create(object), isAlreadyExists, isNamespaceEnding, isNotFound)
  })
}
