/** Binds every PersistentVolumeClaim immediately: the sandbox has no real storage. */
import { type PersistentVolumeClaim, type Pod, resources } from '../../../kube/kinds/index.ts'
import { type Controller, type ControllerContext, enqueueAll } from '../loop/controller.ts'
import { indexNames } from '../loop/informers.ts'

const protection = 'kubernetes.io/pvc-protection'

export function volumeController({ client, informers }: ControllerContext): Controller {
  const claims = informers.of<PersistentVolumeClaim>(resources.persistentVolumeClaims)
  const pods = informers.of<Pod>(resources.pods)
  const handle = client.of<PersistentVolumeClaim>(resources.persistentVolumeClaims)

  function isUsed({ metadata }: PersistentVolumeClaim): boolean {
    return pods
      .by(indexNames.namespace, metadata.namespace ?? '')
      .some(({ spec }) => spec.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === metadata.name))
  }

  return {
    name: 'persistentvolume-binder',
    watch(enqueue) {
      enqueueAll(claims, enqueue)
      pods.subscribe((change) => {
        if (change.type !== 'deleted') return
        for (const { persistentVolumeClaim } of change.previous.spec.volumes ?? []) {
          if (persistentVolumeClaim !== undefined) {
            enqueue(`${change.previous.metadata.namespace}/${persistentVolumeClaim.claimName}`)
          }
        }
      })
    },
    async sync(key) {
      const claim = claims.get(key)
      if (claim === undefined) return undefined
      const { name, namespace = '', finalizers = [], deletionTimestamp, uid = '' } = claim.metadata
      if (deletionTimestamp !== undefined) {
        // A claim in use is kept until the pod is deleted.
        if (!finalizers.includes(protection) || isUsed(claim)) return undefined
        const value = { metadata: { finalizers: finalizers.filter((other) => other !== protection) } }
        await handle.patch(name, { type: 'merge', value }, { namespace })
        return undefined
      }
      const volumeName = `pvc-${uid}`
      if (claim.spec?.volumeName === undefined) {
        const metadata = { finalizers: [...new Set([...finalizers, protection])] }
        await handle.patch(name, { type: 'merge', value: { metadata, spec: { volumeName } } }, { namespace })
      }
      if (claim.status?.phase !== 'Bound') {
        const { accessModes, resources: wanted } = (claim.spec ?? {}) as Record<string, unknown>
        const capacity = (wanted as { requests?: object } | undefined)?.requests
        const status = { phase: 'Bound', accessModes, capacity }
        await handle.patch(name, { type: 'merge', value: { status } }, { namespace, subresource: 'status' })
      }
      return undefined
    },
  }
}
