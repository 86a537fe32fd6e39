/** The informer of `@kubernetes/client-node`, as its documentation shows it. */
import { CoreV1Api, KubeConfig, makeInformer, type V1Pod } from '@kubernetes/client-node'

export async function start(server: string, changed: () => void): Promise<{ size: () => number }> {
  const config = new KubeConfig()
  config.loadFromClusterAndUser({ name: 'bench', server, skipTLSVerify: true }, { name: 'bench' })
  const api = config.makeApiClient(CoreV1Api)
  const informer = makeInformer<V1Pod>(config, '/api/v1/pods', () => api.listPodForAllNamespaces())
  await informer.start()
  informer.on('update', changed)
  return { size: () => informer.list().length }
}
