/** The real kubectl in daily use. */
import { describe, expect, it } from 'vitest'
import { pollUntil } from './poll-until.ts'
import { kubectl, kubectlLines, kubectlOk, kubectlPath } from './programs.ts'
import { onCluster } from './suite.ts'

const web = (image = 'example/app:1', replicas = 2) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: "${image}"}
`

/** Its schema has fields named like schema keywords. */
const definition = (group: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}.example.com` },
  spec: {
    group: `${group}.example.com`,
    scope: 'Namespaced',
    names: { kind: 'Thing', plural: 'things' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
            },
            not: { required: ['items'] },
          },
        },
      },
    ],
  },
})

onCluster('kubectl', (cluster) => {
  const k = (ns: string, ...args: string[]) => kubectlOk(cluster.target, ['-n', ns, ...args])
  const apply = (ns: string, manifest: string, ...flags: string[]) =>
    kubectlOk(cluster.target, ['-n', ns, 'apply', '-f', '-', ...flags], manifest)
  const rolledOut = (ns: string, what = 'deployment/web') => k(ns, 'rollout', 'status', what, '--timeout=60s')

  describe.skipIf(kubectlPath === undefined)('with kubectl', () => {
    it('applies, applies again and shows a diff', async () => {
      const ns = await cluster.namespace()
      expect(await apply(ns, web())).toBe('deployment.apps/web created\n')
      expect(await apply(ns, web())).toBe('deployment.apps/web unchanged\n')
      const diff = await kubectl(cluster.target, ['-n', ns, 'diff', '-f', '-'], web('example/app:2'))
      expect(diff.code).toBe(1)
      expect(diff.stdout).toMatch(/^-\s+- image: example\/app:1$/m)
      expect(diff.stdout).toMatch(/^\+\s+- image: example\/app:2$/m)
      expect(await apply(ns, web('example/app:2'))).toBe('deployment.apps/web configured\n')
      // Writes of the controller would be a difference too.
      await rolledOut(ns)
      expect((await kubectl(cluster.target, ['-n', ns, 'diff', '-f', '-'], web('example/app:2'))).code).toBe(0)
    })

    it('applies server-side and reports conflicts', async () => {
      const ns = await cluster.namespace()
      expect(await apply(ns, web(), '--server-side')).toBe('deployment.apps/web serverside-applied\n')
      await k(ns, 'scale', 'deployment/web', '--replicas=3')
      const conflict = await kubectl(
        cluster.target,
        ['-n', ns, 'apply', '--server-side', '-f', '-'],
        web('example/app:1', 4),
      )
      expect(conflict.code).toBe(1)
      expect(conflict.stderr).toContain(
        'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
      )
      expect(await apply(ns, web('example/app:1', 4), '--server-side', '--force-conflicts')).toContain(
        'serverside-applied',
      )
    })

    it('refuses a misspelled field', async () => {
      const ns = await cluster.namespace()
      const refused = await kubectl(
        cluster.target,
        ['-n', ns, 'apply', '-f', '-'],
        web().replace('replicas:', 'replicsa:'),
      )
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain('strict decoding error: unknown field "spec.replicsa"')
    })

    it('applies a List, which it validates itself', async () => {
      const ns = await cluster.namespace()
      const container = { name: 'main', image: 'example/app:1', resources: { requests: { cpu: 1, memory: '1Mi' } } }
      const probed = { ...container, readinessProbe: { httpGet: { port: 80, path: '/' } } }
      const list = (spec: object) =>
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'List',
          items: [
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: 'b' } },
            { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec },
            definition(ns),
          ],
        })
      const selector = { matchLabels: { app: 'web' } }
      const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [probed] } }
      const made = await apply(ns, list({ replicas: 1, selector, template }))
      expect(made.split('\n').slice(0, 2)).toEqual(['configmap/settings created', 'deployment.apps/web created'])
      await k(ns, 'delete', 'crd', `things.${ns}.example.com`)
      const refused = await kubectl(
        cluster.target,
        ['-n', ns, 'apply', '-f', '-'],
        list({ selector, template, copies: 1 }),
      )
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain('unknown field "copies" in io.k8s.api.apps.v1.DeploymentSpec')
    })

    it('gets tables, wide tables, names, YAML and JSONPath', async () => {
      const ns = await cluster.namespace()
      await apply(ns, web())
      await rolledOut(ns)
      expect(await k(ns, 'get', 'deploy')).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +2\/2 +2 +2 +\d+s\n$/)
      const wide = await k(ns, 'get', 'deploy', '-o', 'wide')
      expect(wide).toMatch(/CONTAINERS +IMAGES +SELECTOR\n.* main +example\/app:1 +app=web\n$/)
      expect(await k(ns, 'get', 'pods')).toMatch(
        /^NAME +READY +STATUS +RESTARTS +AGE\n(web-\S+ +1\/1 +Running +0 +\d+s\n){2}$/,
      )
      expect(await k(ns, 'get', 'pods', '-o', 'wide')).toMatch(/NOMINATED NODE +READINESS GATES\n/)
      expect(await k(ns, 'get', 'deploy', '-o', 'name')).toBe('deployment.apps/web\n')
      expect(await k(ns, 'get', 'deploy/web', '-o', 'jsonpath={.status.availableReplicas}')).toBe('2')
      expect(await k(ns, 'get', 'deploy/web', '-o', 'yaml')).toContain('\n  progressDeadlineSeconds: 600\n')
      expect(await k(ns, 'get', 'all')).toMatch(/pod\/web-[\s\S]*deployment\.apps\/web[\s\S]*replicaset\.apps\/web-/)
    })

    it('describes', async () => {
      const ns = await cluster.namespace()
      await apply(ns, web())
      await rolledOut(ns)
      // Events are written in the background.
      await cluster.untilList(`/api/v1/namespaces/${ns}/events`, (events) =>
        events.some(({ reason }) => reason === 'ScalingReplicaSet'),
      )
      const text = await k(ns, 'describe', 'deployment/web')
      expect(text).toMatch(/Replicas: +2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable/)
      expect(text).toMatch(/ScalingReplicaSet .*Scaled up replica set web-\w+ from 0 to 2/)
    })

    it('patches and scales', async () => {
      const ns = await cluster.namespace()
      await apply(ns, web())
      expect(await k(ns, 'patch', 'deployment', 'web', '-p', '{"spec":{"minReadySeconds":1}}')).toBe(
        'deployment.apps/web patched\n',
      )
      expect(
        await k(
          ns,
          'patch',
          'deployment',
          'web',
          '--type=json',
          '-p',
          '[{"op":"remove","path":"/spec/minReadySeconds"}]',
        ),
      ).toContain('patched')
      expect(await k(ns, 'scale', 'deployment/web', '--replicas=3')).toBe('deployment.apps/web scaled\n')
      await rolledOut(ns)
      expect(await k(ns, 'get', 'deployment/web', '-o', 'jsonpath={.status.replicas}')).toBe('3')
    })

    it('follows, pauses, resumes, restarts and undoes a rollout', async () => {
      const ns = await cluster.namespace()
      await apply(ns, web())
      expect(await rolledOut(ns)).toContain('deployment "web" successfully rolled out')
      await k(ns, 'set', 'image', 'deployment/web', 'main=example/app:2')
      await rolledOut(ns)
      expect(await k(ns, 'rollout', 'history', 'deployment/web')).toMatch(/^1 +<none>\n2 +<none>$/m)
      expect(await k(ns, 'rollout', 'pause', 'deployment/web')).toBe('deployment.apps/web paused\n')
      await k(ns, 'set', 'image', 'deployment/web', 'main=example/app:3')
      const undoPaused = await kubectl(cluster.target, ['-n', ns, 'rollout', 'undo', 'deployment/web'])
      expect(undoPaused.stderr).toContain('you cannot rollback a paused deployment; resume it first')
      expect(await k(ns, 'rollout', 'resume', 'deployment/web')).toBe('deployment.apps/web resumed\n')
      await rolledOut(ns)
      expect(await k(ns, 'rollout', 'undo', 'deployment/web')).toBe('deployment.apps/web rolled back\n')
      await rolledOut(ns)
      expect(await k(ns, 'get', 'deployment/web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}')).toBe(
        'example/app:2',
      )
      expect(await k(ns, 'rollout', 'history', 'deployment/web')).toMatch(/^1 +<none>\n3 +<none>\n4 +<none>$/m)
      expect(await k(ns, 'rollout', 'restart', 'deployment/web')).toBe('deployment.apps/web restarted\n')
      await rolledOut(ns)
    })

    it('waits', async () => {
      const ns = await cluster.namespace()
      await apply(ns, web())
      expect(await k(ns, 'wait', '--for=condition=Available', 'deployment/web', '--timeout=60s')).toBe(
        'deployment.apps/web condition met\n',
      )
      expect(
        await k(ns, 'wait', '--for=jsonpath={.status.readyReplicas}=2', 'deployment/web', '--timeout=60s'),
      ).toContain('condition met')
    })

    it.each(['background', 'foreground'])('deletes with cascade %s', async (mode) => {
      const ns = await cluster.namespace()
      await apply(ns, web())
      await rolledOut(ns)
      await k(ns, 'delete', 'deployment/web', `--cascade=${mode}`, '--timeout=60s')
      await cluster.untilList(`/apis/apps/v1/namespaces/${ns}/replicasets`, (items) => items.length === 0)
      await cluster.untilList(`/api/v1/namespaces/${ns}/pods`, (items) => items.length === 0)
    })

    it('deletes with orphaned dependents', async () => {
      const ns = await cluster.namespace()
      await apply(ns, web())
      await rolledOut(ns)
      await k(ns, 'delete', 'deployment/web', '--cascade=orphan', '--timeout=60s')
      await cluster.untilGone(`/apis/apps/v1/namespaces/${ns}/deployments/web`)
      const sets = (await cluster.call('GET', `/apis/apps/v1/namespaces/${ns}/replicasets`)).body.items
      expect(sets.map((set) => set.metadata.ownerReferences)).toEqual([undefined])
      const pods = (await cluster.call('GET', `/api/v1/namespaces/${ns}/pods`)).body.items
      expect(pods).toHaveLength(2)
    })

    it('reads and follows logs', async () => {
      const ns = await cluster.namespace()
      await k(
        ns,
        'run',
        'talker',
        '--image=example/app:1',
        '--annotations=sandbox.carabiner.dev/log=hello from the pod',
      )
      await cluster.until(
        `/api/v1/namespaces/${ns}/pods/talker`,
        ({ status }) => (status as { phase?: string }).phase === 'Running',
      )
      const lines: string[] = []
      for await (const line of kubectlLines(cluster.target, ['-n', ns, 'logs', '-f', 'talker'])) {
        lines.push(line)
        break
      }
      expect(lines).toHaveLength(1)
      expect(await k(ns, 'logs', 'talker')).toContain(lines[0])
    })

    it('runs auth can-i', async () => {
      const ns = await cluster.namespace()
      expect(await k(ns, 'auth', 'can-i', 'delete', 'pods')).toBe('yes\n')
      const no = await kubectl(cluster.target, ['-n', ns, 'auth', 'can-i', 'delete', 'pods', '--as=jane'])
      expect([no.code, no.stdout]).toEqual([1, 'no\n'])
      expect(await k(ns, 'auth', 'whoami')).toMatch(/Username +\S+/)
    })

    it('creates tokens, namespaces, secrets and roles', async () => {
      const ns = await cluster.namespace()
      expect(await k(ns, 'create', 'token', 'default')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n?$/)
      expect(await k(ns, 'create', 'secret', 'generic', 's', '--from-literal=a=b')).toBe('secret/s created\n')
      expect(await k(ns, 'create', 'configmap', 'c', '--from-literal=a=b')).toBe('configmap/c created\n')
      expect(await k(ns, 'create', 'role', 'r', '--verb=get', '--resource=pods')).toBe(
        'role.rbac.authorization.k8s.io/r created\n',
      )
      expect(await k(ns, 'create', 'job', 'j', '--image=example/app:1')).toBe('job.batch/j created\n')
    })

    it('explains built-in and custom kinds', async () => {
      const ns = await cluster.namespace()
      expect(await k(ns, 'explain', 'deployment.spec.strategy')).toMatch(
        /KIND: +Deployment[\s\S]*rollingUpdate\t?\s*<RollingUpdateDeployment>/,
      )
      const group = `e${process.pid}.example.com`
      await kubectlOk(cluster.target, ['apply', '-f', '-'], gadgetDefinition(group))
      await k(ns, 'wait', '--for=condition=Established', `crd/gadgets.${group}`, '--timeout=60s')
      // Schemas of new kinds are published a moment after the kind is served.
      const explained = await pollUntil(
        'the schema of a new kind',
        () => kubectl(cluster.target, ['explain', `gadgets.${group}`, '--recursive']),
        ({ code }) => code === 0,
      )
      expect(explained.stdout).toMatch(/KIND: +Gadget[\s\S]*colour\s+<string>/)
      const gadget = `apiVersion: ${group}/v1\nkind: Gadget\nmetadata: {name: g}\nspec: {colour: red}\n`
      expect(await apply(ns, gadget)).toBe(`gadget.${group}/g created\n`)
      expect(await apply(ns, gadget.replace('red', 'blue'))).toBe(`gadget.${group}/g configured\n`)
      expect(await k(ns, 'get', 'gadgets', '-o', 'jsonpath={.items[0].spec.colour}')).toBe('blue')
      await kubectlOk(cluster.target, ['delete', 'crd', `gadgets.${group}`, '--timeout=60s'])
    })

    it('lists API resources', async () => {
      const resources = await kubectlOk(cluster.target, ['api-resources', '--no-headers'])
      expect(resources).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m)
      expect(await kubectlOk(cluster.target, ['api-versions'])).toContain('batch/v1\n')
      expect(await kubectlOk(cluster.target, ['cluster-info'])).toContain('is running at')
      expect(await kubectlOk(cluster.target, ['get', 'nodes'])).toMatch(/ Ready +/)
    })

    it('drains a node', async () => {
      const nodes = (await kubectlOk(cluster.target, ['get', 'nodes', '-o', 'name'])).trim().split('\n')
      const node = nodes.at(-1)?.replace('node/', '') ?? ''
      expect(await kubectlOk(cluster.target, ['cordon', node])).toBe(`node/${node} cordoned\n`)
      expect(await kubectlOk(cluster.target, ['get', 'node', node])).toContain('Ready,SchedulingDisabled')
      expect(await kubectlOk(cluster.target, ['uncordon', node])).toBe(`node/${node} uncordoned\n`)
    })
  })
})

function gadgetDefinition(group: string): string {
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {colour: {type: string}}}
`
}
