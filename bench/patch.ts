/** JSON Patch on values of 50 KB against fast-json-patch, which must clone the value first to leave it as it was. */
import fastJsonPatch, { type Operation } from 'fast-json-patch'
import { applyJsonPatch, diff } from '../src/patch/index.ts'
import type { Json } from '../src/runtime/json.ts'
import type { Bench } from './harness.ts'

/** A Deployment as in a cluster, with enough containers for 50 KB. */
function document(): Json {
  const containers = Array.from({ length: 78 }, (_, index) => ({
    name: `container-${index}`,
    image: `registry.example.com/team/service-${index}:1.${index}.0`,
    args: ['--verbose', `--shard=${index}`, '--config=/etc/service/config.yaml'],
    env: Array.from({ length: 8 }, (__, number) => ({ name: `VARIABLE_${number}`, value: `value-${index}-${number}` })),
    resources: { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [{ name: 'config', mountPath: '/etc/service' }],
  }))
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' }, annotations: { note: 'x'.repeat(200) } },
    spec: { replicas: 3, template: { metadata: { labels: { app: 'web' } }, spec: { containers } } },
  }
}

const patch = [
  { op: 'test', path: '/spec/replicas', value: 3 },
  { op: 'replace', path: '/spec/replicas', value: 5 },
  { op: 'add', path: '/metadata/labels/tier', value: 'front' },
  { op: 'replace', path: '/spec/template/spec/containers/30/image', value: 'registry.example.com/team/service:2' },
  { op: 'add', path: '/spec/template/spec/containers/30/env/-', value: { name: 'NEW', value: '1' } },
  { op: 'remove', path: '/metadata/annotations/note' },
]

const bench: Bench = {
  name: 'patch',
  async run(context) {
    const before = document()
    const after = applyJsonPatch(before, patch)
    context.report('value', JSON.stringify(before).length / 1024, 'KB')
    await context.measure({
      name: 'apply six operations',
      repeat: 200,
      candidates: {
        ours: () => void applyJsonPatch(before, patch),
        'fast-json-patch': () =>
          void fastJsonPatch.applyPatch(fastJsonPatch.deepClone(before), patch as Operation[], true),
      },
      atLeast: { 'fast-json-patch': 5 },
    })
    await context.measure({
      name: 'difference of two values',
      repeat: 50,
      candidates: {
        ours: () => void diff(before, after),
        'fast-json-patch': () => void fastJsonPatch.compare(before as object, after as object),
      },
    })
  },
}

export default bench
