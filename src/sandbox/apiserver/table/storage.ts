/** Table cells of volumes and storage classes. */
import { type ApiObject, at } from '../object.ts'
import { annotation, list, strings, text } from './reading.ts'
import { type Cells, counted, created, marked } from './row.ts'

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

function accessModes(object: ApiObject, path: string): string {
  const given = strings(object, path)
  return Object.keys(modes)
    .filter((mode) => given.includes(mode))
    .map((mode) => modes[mode])
    .join(',')
}

function phase(object: ApiObject): string {
  return object.metadata.deletionTimestamp === undefined ? text(object, 'status.phase') : 'Terminating'
}

const volume: Cells = (object, now) => [
  object.metadata.name,
  text(object, 'spec.capacity.storage', '0'),
  accessModes(object, 'spec.accessModes'),
  text(object, 'spec.persistentVolumeReclaimPolicy'),
  phase(object),
  at(object, 'spec', 'claimRef') === undefined
    ? ''
    : `${text(object, 'spec.claimRef.namespace')}/${text(object, 'spec.claimRef.name')}`,
  annotation(object, 'volume.beta.kubernetes.io/storage-class') ?? text(object, 'spec.storageClassName'),
  text(object, 'spec.volumeAttributesClassName', '<unset>'),
  text(object, 'status.reason'),
  created(object, now),
  text(object, 'spec.volumeMode', '<unset>'),
]

const claim: Cells = (object, now) => {
  const isBound = text(object, 'spec.volumeName') !== ''
  return [
    object.metadata.name,
    phase(object),
    text(object, 'spec.volumeName'),
    isBound ? text(object, 'status.capacity.storage', '0') : '',
    isBound ? accessModes(object, 'status.accessModes') : '',
    annotation(object, 'volume.beta.kubernetes.io/storage-class') ?? text(object, 'spec.storageClassName'),
    text(object, 'spec.volumeAttributesClassName', '<unset>'),
    created(object, now),
    text(object, 'spec.volumeMode', '<unset>'),
  ]
}

export const storageCells: Readonly<Record<string, Cells>> = {
  '/PersistentVolume': volume,
  '/PersistentVolumeClaim': claim,
  'storage.k8s.io/CSIDriver': (object, now) => [
    object.metadata.name,
    at(object, 'spec', 'attachRequired') !== false,
    at(object, 'spec', 'podInfoOnMount') === true,
    at(object, 'spec', 'storageCapacity') === true,
    list(object, 'spec.tokenRequests')
      .map((request) => text(request, 'audience'))
      .join(',') || '<unset>',
    at(object, 'spec', 'requiresRepublish') === true,
    strings(object, 'spec.volumeLifecycleModes').join(',') || '<none>',
    created(object, now),
  ],
  'storage.k8s.io/CSINode': counted('spec.drivers'),
  'storage.k8s.io/StorageClass': (object, now) => [
    marked(object, 'storageclass.kubernetes.io/is-default-class'),
    text(object, 'provisioner'),
    text(object, 'reclaimPolicy', 'Delete'),
    text(object, 'volumeBindingMode', 'Immediate'),
    at(object, 'allowVolumeExpansion') === true,
    created(object, now),
  ],
  'storage.k8s.io/VolumeAttachment': (object, now) => [
    object.metadata.name,
    text(object, 'spec.attacher'),
    text(object, 'spec.source.persistentVolumeName'),
    text(object, 'spec.nodeName'),
    at(object, 'status', 'attached') === true,
    created(object, now),
  ],
}
