/** Real scripts as webhooks: they validate, mutate and convert objects. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAuthority } from '../../src/runtime/real/index.ts'
import { definitions } from './definitions.ts'
import { pollUntil } from './poll-until.ts'
import { type BindingContext, keeping, type ScriptOperator, startScripts } from './script-operator.ts'
import { type Cluster, onCluster } from './suite.ts'
import type { Answer, Thing } from './target.ts'
import { conditionOf } from './workloads.ts'

const registrations = '/apis/admissionregistration.k8s.io/v1'

const here = [
  ...['--validating-webhook-listen-address', '127.0.0.1', '--validating-webhook-listen-port', '0'],
  ...['--conversion-webhook-listen-address', '127.0.0.1', '--conversion-webhook-listen-port', '0'],
]

async function withScripts(
  cluster: Cluster,
  scripts: Readonly<Record<string, string>>,
  act: (operator: ScriptOperator, name: string) => Promise<void>,
  more: readonly string[] = [],
): Promise<void> {
  const name = `hooks-${process.pid}-${++configurations}`
  const flags = [...here, '--validating-webhook-configuration-name', name, ...more]
  const operator = await startScripts(cluster.target, '--hooks-dir', scripts, flags)
  try {
    await act(operator, name)
  } finally {
    await operator.stop()
    for (const kind of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'])
      await cluster.call('DELETE', `${registrations}/${kind}/${name}`)
  }
}

let configurations = 0

const rules = (namespace: string) => ({
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
  namespace: { labelSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
})
const isDryRun = (context: BindingContext | undefined) =>
  (context?.['review'] as { request: { dryRun: boolean } } | undefined)?.request.dryRun === true

const nameIn = (context: BindingContext | undefined) =>
  (context?.['review'] as { request: { name: string } } | undefined)?.request.name

interface Webhook {
  readonly clientConfig: { readonly caBundle: string }
}
const webhooksOf = (object: Thing) => (object as Thing & { readonly webhooks: readonly Webhook[] }).webhooks
const configMap = (name: string, data: object = {}) => ({ metadata: { name }, data })

/** Webhooks become effective with a delay: repeats a dry-run write until its response shows the effect. */
const inEffect = (cluster: Cluster, path: string, shows: (answer: Answer) => boolean) =>
  pollUntil(
    'the effect of the webhook',
    () => cluster.call('POST', `${path}?dryRun=All`, { body: configMap('good') }),
    shows,
  )

onCluster('script hooks that answer the API server', (cluster) => {
  it('[addons A1, A2, A5, A6] validate objects with a message, warnings and snapshots', async () => {
    const namespace = await cluster.namespace()
    const maps = `/api/v1/namespaces/${namespace}/configmaps`
    await cluster.create(maps, configMap('limits', { most: '2' }))
    const config = {
      configVersion: 'v1',
      kubernetes: [
        {
          name: 'limits',
          kind: 'ConfigMap',
          executeHookOnEvent: [],
          executeHookOnSynchronization: false,
          nameSelector: { matchNames: ['limits'] },
          namespace: { nameSelector: { matchNames: [namespace] } },
          jqFilter: '.data.most',
        },
      ],
      kubernetesValidating: [{ name: 'size.example.com', includeSnapshotsFrom: ['limits'], ...rules(namespace) }],
    }
    const judge = `
case "$(jq -r '.[0].review.request.name' "$BINDING_CONTEXT_PATH")" in
  good) echo '{"allowed":true,"warnings":["mind the size"]}' > "$VALIDATING_RESPONSE_PATH" ;;
  bad) echo '{"allowed":false,"message":"too large"}' > "$ADMISSION_RESPONSE_PATH" ;;
  broken) echo "disk on fire" >&2; exit 1 ;;
esac
`
    await withScripts(cluster, { 'size.sh': keeping(config, judge) }, async ({ contexts, get }, name) => {
      const post = (map: string) => cluster.call('POST', maps, { body: configMap(map) })
      await inEffect(cluster, maps, ({ headers }) => headers['warning'] !== undefined)
      expect(await post('good')).toMatchObject({
        status: 201,
        headers: { warning: expect.stringContaining('mind the size') },
      })
      const denied = (text: string) => ({
        status: 403,
        body: { message: expect.stringContaining(`admission webhook "size.example.com" denied the request: ${text}`) },
      })
      expect(await post('bad')).toMatchObject(denied('too large'))
      expect(await post('broken')).toMatchObject(denied('hook size.sh failed: '))
      expect((await post('broken')).body.message).toContain('disk on fire')
      expect(await post('silent')).toMatchObject(denied('hook size.sh left no answer'))
      expect(contexts('size.sh').find(([context]) => !isDryRun(context))).toEqual([
        {
          binding: 'size.example.com',
          type: 'Validating',
          review: {
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            request: expect.objectContaining({ operation: 'CREATE', name: 'good' }),
          },
          snapshots: { limits: [{ object: expect.anything(), filterResult: '2' }] },
        },
      ])
      const { body } = await cluster.call('GET', `${registrations}/validatingwebhookconfigurations/${name}`)
      expect(webhooksOf(body)).toMatchObject([
        {
          name: 'size.example.com',
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          timeoutSeconds: 10,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ])
      expect(await get('/metrics')).toMatch(/hook_run_errors_total\{.*binding="size.example.com".*\} 2/)
    })
  })

  it('[addons A3, A9, Z14] mutate objects in parallel with the failure policy of the flag, and are removed with their bindings', async () => {
    const namespace = await cluster.namespace()
    const maps = `/api/v1/namespaces/${namespace}/configmaps`
    const config = {
      configVersion: 'v1',
      kubernetesMutating: [{ name: 'owner.example.com', ...rules(namespace) }],
    }
    // Each hook waits for the other; run one after the other both would time out.
    const label = `
name=$(jq -r '.[0].review.request.name' "$BINDING_CONTEXT_PATH")
touch "$OUT/asked-$name"
until [ "$name" = good ] || [ -e "$OUT/asked-one" -a -e "$OUT/asked-two" ]; do sleep 0.02; done
patch=$(echo '[{"op":"add","path":"/data","value":{"owner":"ops"}}]' | base64)
jq -n --arg patch "$patch" '{allowed: true, patch: $patch}' > "$VALIDATING_RESPONSE_PATH"
`
    const ignore = ['--validating-webhook-failure-policy', 'Ignore']
    await withScripts(
      cluster,
      { 'owner.sh': keeping(config, label) },
      async (_, name) => {
        await inEffect(cluster, maps, ({ body }) => body.data?.['owner'] === 'ops')
        const made = await Promise.all(['one', 'two'].map((map) => cluster.create(maps, configMap(map))))
        expect(made.map(({ data }) => data)).toEqual([{ owner: 'ops' }, { owner: 'ops' }])
        const path = `${registrations}/mutatingwebhookconfigurations/${name}`
        const webhooks = webhooksOf((await cluster.call('GET', path)).body)
        expect(webhooks).toMatchObject([{ failurePolicy: 'Ignore' }])
        const none = { 'none.sh': keeping({ configVersion: 'v1', onStartup: 1 }) }
        const flags = [...here, '--validating-webhook-configuration-name', name]
        const next = await startScripts(cluster.target, '--hooks-dir', none, flags)
        try {
          await cluster.untilGone(path)
        } finally {
          await next.stop()
        }
      },
      ignore,
    )
  })

  it('[addons A10] serve with certificate files and reload them when they change', async () => {
    const namespace = await cluster.namespace()
    const maps = `/api/v1/namespaces/${namespace}/configmaps`
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-certs-'))
    const write = () => {
      const authority = createAuthority('files')
      const { cert, key } = authority.issueServer({ commonName: 'hooks', names: ['127.0.0.1'] })
      for (const [file, text] of Object.entries({ 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.cert }))
        writeFileSync(join(folder, file), text)
      return Buffer.from(authority.cert).toString('base64')
    }
    const before = write()
    const flags = ['server-cert', 'tls.crt', 'server-key', 'tls.key', 'ca', 'ca.crt']
    const files = [0, 2, 4].flatMap((at) => [`--validating-webhook-${flags[at]}`, join(folder, flags[at + 1] ?? '')])
    const config = { configVersion: 'v1', kubernetesValidating: [{ name: 'all.example.com', ...rules(namespace) }] }
    const allow = `echo '{"allowed":true}' > "$VALIDATING_RESPONSE_PATH"`
    try {
      await withScripts(
        cluster,
        { 'all.sh': keeping(config, allow) },
        async ({ contexts }, name) => {
          const path = `${registrations}/validatingwebhookconfigurations/${name}`
          const bundle = (object: Thing) => webhooksOf(object)[0]?.clientConfig.caBundle
          expect(bundle((await cluster.call('GET', path)).body)).toBe(before)
          await cluster.create(maps, configMap('before'))
          const isAdmitted = ({ status }: Answer) => status === 201
          await inEffect(cluster, maps, isAdmitted)
          const after = write()
          await cluster.until(path, (object) => bundle(object) === after)
          // API servers load the new CA at different times; requests with the old one are refused.
          await pollUntil('an admission', () => cluster.call('POST', maps, { body: configMap('after') }), isAdmitted)
          expect(contexts('all.sh').flat().map(nameIn)).toContain('after')
        },
        files,
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('[addons A4, A7, A8, Z7] convert objects through several hooks and report why a conversion fails', async () => {
    const group = `s${process.pid}.example.com`
    const crd = `boxes.${group}`
    const version = (name: string, { storage }: { storage: boolean }) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    })
    const convert = (from: string, to: string) => `
jq --arg to "${group}/${to}" '.[0].review.request.objects as $objects
  | if any($objects[]; .bad == true) then {failedMessage: "a bad box"}
    else {convertedObjects: [$objects[] | .apiVersion = $to | .way = ((.way // "${from}") + " ${to}")]} end' \\
  "$BINDING_CONTEXT_PATH" > "$CONVERSION_RESPONSE_PATH"
`
    const binding = (fromVersion: string, toVersion: string) => ({
      configVersion: 'v1',
      kubernetesCustomResourceConversion: [{ name: 'boxes', crdName: crd, conversions: [{ fromVersion, toVersion }] }],
    })
    const scripts = {
      'first.sh': keeping(binding('v1', 'v2'), convert('v1', 'v2')),
      'second.sh': keeping(binding(`${group}/v2`, `${group}/v3`), convert('v2', 'v3')),
    }
    await withScripts(cluster, scripts, async ({ contexts }) => {
      const namespace = await cluster.namespace()
      // The definition is created after the hooks, which wait for it.
      await cluster.create(definitions, {
        metadata: { name: crd },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'boxes', singular: 'box', kind: 'Box' },
          versions: [
            version('v1', { storage: true }),
            version('v2', { storage: false }),
            version('v3', { storage: false }),
          ],
        },
      })
      try {
        const found = await cluster.until(
          `${definitions}/${crd}`,
          (object) =>
            conditionOf(object, 'Established')?.status === 'True' &&
            (object.spec['conversion'] as { strategy: string }).strategy === 'Webhook',
        )
        const url = expect.stringMatching(new RegExp(`/${crd}$`)) as string
        expect(found.spec['conversion']).toMatchObject({ webhook: { clientConfig: { url } } })
        const boxes = (name: string) => `/apis/${group}/${name}/namespaces/${namespace}/boxes`
        const box = (name: string, more: object) => ({
          apiVersion: `${group}/v1`,
          kind: 'Box',
          metadata: { name },
          ...more,
        })
        // An established definition and a changed conversion are effective with a delay.
        const put = (name: string, content: { bad: boolean }) =>
          pollUntil(
            `box ${name}`,
            () => cluster.call('POST', boxes('v1'), { body: box(name, content) }),
            ({ status }) => status === 201,
          )
        await put('a', { bad: false })
        const isConverted = async () => (await cluster.call('GET', `${boxes('v3')}/a`)).body
        await expect.poll(isConverted, { timeout: 60_000 }).toMatchObject({
          apiVersion: `${group}/v3`,
          way: 'v1 v2 v3',
        })
        expect(contexts('second.sh')[0]).toMatchObject([
          {
            binding: 'boxes',
            type: 'Conversion',
            fromVersion: `${group}/v2`,
            toVersion: `${group}/v3`,
            review: { kind: 'ConversionReview', request: { objects: [{ apiVersion: `${group}/v2` }] } },
          },
        ])
        await put('b', { bad: true })
        const refused = await cluster.call('GET', `${boxes('v2')}/b`)
        expect(refused.status).toBe(500)
        expect(refused.body.message).toContain('a bad box')
      } finally {
        await cluster.call('DELETE', `${definitions}/${crd}`)
      }
    })
  })
})
