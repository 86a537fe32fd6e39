/** A deployer: it keeps a ConfigMap with a text in the cluster of the target, and exports the text. */
import { defineDeployer } from 'carabiner/deployers'
import { isNotFound, resources } from 'carabiner/kube'

export default defineDeployer({
  type: 'example.com/greeting',
  name: 'greeting.example.com',
  version: 'v1',
  decode(config) {
    if (typeof config?.text !== 'string') throw new Error('text is missing')
    return { text: config.text }
  },
  async reconcile({ deployItem, config, clients, report, exports }) {
    const { name, namespace } = deployItem.metadata
    const maps = (await clients.target()).of(resources.configMaps)
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { text: config.text } }
    await maps.apply(map, { fieldManager: 'greeting', force: true })
    report(`wrote ConfigMap ${name}`)
    await exports({ text: config.text })
  },
  async delete({ deployItem, clients }) {
    const { name, namespace } = deployItem.metadata
    const maps = (await clients.target()).of(resources.configMaps)
    await maps.delete(name, { namespace }).catch((error) => {
      if (!isNotFound(error)) throw error
    })
  },
})
