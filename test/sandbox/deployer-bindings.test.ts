/** Configured hooks: programs, HTTP calls and Jobs at the hook points of a deployer. */
import { describe, expect, it } from 'vitest'
import { type HookBinding, hookFrom } from '../../src/deployers/hooks/binding.ts'
import { ReconcileExtensionHooks } from '../../src/deployers/hooks/registry.ts'
import { defineDeployer } from '../../src/deployers/library/deployer.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { itemType, namespace, onStage, type Stage } from './deployers.ts'

function hooksFrom(stage: Stage, ...bindings: readonly HookBinding[]): ReconcileExtensionHooks {
  const hooks = new ReconcileExtensionHooks()
  for (const binding of bindings) hooks.registerHook(hookFrom(binding, stage.hooks), ...binding.points)
  return hooks
}

async function deployWith(stage: Stage, ...bindings: readonly HookBinding[]): Promise<string[]> {
  const calls: string[] = []
  const hooks = hooksFrom(stage, ...bindings)
  const reconcile = () => void calls.push('reconcile')
  await stage.deploy(defineDeployer({ type: itemType, hooks, reconcile, delete() {} }))
  return calls
}

describe('a program at a hook point [deployers P8]', () => {
  const binding: HookBinding = {
    name: 'ticket',
    points: ['BeforeReconcile'],
    process: { command: ['/hooks/ticket', 'now'] },
  }

  it('receives the context and can defer the run', () =>
    onStage(async (stage) => {
      const seen: {
        args: readonly string[]
        context: { point: string; deployItem: { metadata: { name: string }; spec: object } }
      }[] = []
      stage.simulation.script('ticket', async ({ spec: { args = [], env = {} }, runtime }) => {
        const context = JSON.parse(
          await runtime.files.readText(env['HOOK_CONTEXT_PATH'] ?? ''),
        ) as (typeof seen)[0]['context']
        seen.push({ args, context })
        const answer = seen.length === 1 ? { abortReconcile: true, requeueAfter: '30s' } : {}
        if (seen.length < 3) await runtime.files.write(env['HOOK_ANSWER_PATH'] ?? '', JSON.stringify(answer))
        return 0
      })
      const calls = await deployWith(stage, binding)
      await stage.item({ config: { apiVersion: 'example.com/v1', kind: 'C', kubeconfig: 'c2VjcmV0', size: 3 } })
      await stage.sleep(20)
      expect(calls).toEqual([])
      await stage.untilPhase('Succeeded')
      expect(calls).toEqual(['reconcile'])
      expect(seen[0]?.args).toEqual(['now'])
      expect(seen[0]?.context.point).toBe('BeforeReconcile')
      expect(seen[0]?.context.deployItem.metadata.name).toBe('thing')
      expect(seen[0]?.context.deployItem.spec).toEqual({
        type: itemType,
        config: { apiVersion: 'example.com/v1', kind: 'C', size: 3 },
      })
      expect(JSON.stringify(stage.simulation.logs)).not.toContain('c2VjcmV0')
    }))

  it.each([
    ['fails', 3, '', 'hook ticket exited with code 3'],
    ['returns invalid JSON', 0, 'yes', 'its answer is not JSON'],
    ['returns an unknown field', 0, '{"abort":true}', 'has the unknown field abort'],
  ])('is an error when it %s', (_, code, answer, message) =>
    onStage(async (stage) => {
      stage.simulation.script('ticket', async ({ spec: { env = {} }, runtime }) => {
        await runtime.files.write(env['HOOK_ANSWER_PATH'] ?? '', answer)
        return code
      })
      const calls = await deployWith(stage, binding)
      await stage.item()
      const item = await stage.until(({ status }) => status?.lastError !== undefined)
      expect(item.status?.lastError).toMatchObject({ operation: 'BeforeReconcile', reason: 'HookFailed' })
      expect(item.status?.lastError?.message).toContain(message)
      expect(calls).toEqual([])
    }),
  )
})

describe('an HTTP call at a hook point [deployers P8]', () => {
  // A chat service's webhook: the path is the credential.
  const credential = 'T0AAAAAAA/B0BBBBBBB/xyzzyXYZZYxyzzyXYZZY1234'

  it('sends the context and applies the response', () =>
    onStage(async (stage) => {
      const points: string[] = []
      await stage.runtime.http.listen({ host: 'hooks', port: 80 }, (request) => {
        const context = JSON.parse(new TextDecoder().decode(request.body as Uint8Array)) as { point: string }
        points.push(context.point)
        return Promise.resolve({ status: 200, headers: {}, body: new TextEncoder().encode('{"requeueAfter":"10m"}') })
      })
      const calls = await deployWith(stage, {
        name: 'tell',
        points: ['BeforeReconcile', 'End'],
        http: { url: 'http://hooks/tell' },
      })
      await stage.item()
      await stage.untilPhase('Succeeded')
      await stage.sleep(5)
      expect([calls, points]).toEqual([['reconcile'], ['BeforeReconcile', 'End']])
    }))

  it('sends no credentials, also not from the last-applied annotation', () =>
    onStage(async (stage) => {
      const sent: string[] = []
      await stage.runtime.http.listen({ host: 'hooks', port: 80 }, (request) => {
        sent.push(new TextDecoder().decode(request.body as Uint8Array))
        return Promise.resolve({ status: 200, headers: {}, body: new Uint8Array() })
      })
      await deployWith(stage, { name: 'tell', points: ['End'], http: { url: 'http://hooks/tell' } })
      const copied = (kubeconfig: string) => ({
        annotations: {
          team: 'shop',
          'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec: { config: { kubeconfig } } }),
        },
      })
      await stage.target('north', copied('c2VjcmV0MQ=='))
      const config = { apiVersion: 'example.com/v1', kind: 'C', kubeconfig: 'c2VjcmV0Mg==' }
      await stage.item({ target: { name: 'north' }, config }, copied('c2VjcmV0Mg=='))
      await stage.untilPhase('Succeeded')
      await stage.sleep(5)
      expect(sent).toHaveLength(1)
      expect(sent[0]).not.toContain('c2VjcmV0')
      const { deployItem, target } = JSON.parse(sent[0] ?? '') as Record<string, KubeObject>
      expect([deployItem, target].map((object) => object?.metadata.annotations?.['team'])).toEqual(['shop', 'shop'])
    }))

  describe('[deployers P14] gets digests of Secrets and of values', () => {
    const config = {
      apiVersion: 'example.com/v1',
      kind: 'C',
      manifests: [
        {
          policy: 'manage',
          manifest: {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: {
              name: 'db',
              annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"stringData":{"p":"planted-1"}}' },
            },
            stringData: { password: 'planted-2', user: 'reader' },
          },
        },
        {
          apiVersion: 'v1',
          kind: 'List',
          items: [{ kind: 'Secret', metadata: { name: 'tls' }, data: { 'tls.key': 'planted-3' } }],
        },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'open' }, data: { colour: 'blue' } },
      ],
      values: { auth: { token: 'planted-4', users: ['planted-5', 'planted-4'] }, image: { tag: '1.2' }, replicas: 7 },
      importValues: { key: 'planted-6' },
      chart: { archive: { raw: 'planted-7', remote: { url: 'https://ci:planted-8@charts.example.org/a.tgz' } } },
    }

    async function sent(values: readonly string[]): Promise<readonly string[]> {
      const bodies: string[] = []
      await onStage(async (stage) => {
        await stage.runtime.http.listen({ host: 'hooks', port: 80 }, (request) => {
          bodies.push(new TextDecoder().decode(request.body as Uint8Array))
          return Promise.resolve({ status: 200, headers: {}, body: new Uint8Array() })
        })
        const points = ['BeforeReconcile', 'End'] as const
        await deployWith(stage, { name: 'tell', points, values, http: { url: 'http://hooks/tell' } })
        await stage.item({ config })
        await stage.untilPhase('Succeeded')
        await stage.sleep(5)
        expect(JSON.stringify(stage.simulation.logs)).not.toContain('planted')
      })
      return bodies
    }

    it('and equal values have equal digests', async () => {
      const [first = '', last = ''] = await sent([])
      expect(first + last).not.toContain('planted')
      const configOf = (body: string) =>
        (JSON.parse(body) as { deployItem: { spec: { config: typeof config } } }).deployItem.spec.config
      const { values, manifests } = configOf(first)
      const digest = expect.stringMatching(/^digest:[0-9a-f]{32}$/)
      expect(values).toEqual({
        auth: { token: digest, users: [digest, digest] },
        image: { tag: digest },
        replicas: digest,
      })
      expect(values.auth.token).toBe(values.auth.users[1])
      expect(values.auth.token).not.toBe(values.auth.users[0])
      expect(manifests[0]?.manifest?.stringData).toEqual({ password: digest, user: digest })
      expect(manifests[2]).toEqual(config.manifests[2])
      expect(configOf(last)).toEqual(configOf(first))
    })

    it('but the values that its binding names in the clear', async () => {
      const [first = ''] = await sent(['Secret/db/user', 'values/image', 'values/replicas'])
      expect(first).not.toContain('planted')
      expect(first).toContain('"user":"reader"')
      expect(first).toContain('"image":{"tag":"1.2"},"replicas":7')
    })

    it.each([
      ['manifests/0', 'values: manifests/0 is neither Secret/NAME/KEY nor a path'],
      ['Secret/db', 'values: Secret/db is neither'],
    ])('and a binding that names %s is refused', (name, problem) =>
      onStage(async (stage) => {
        const binding: HookBinding = { name: 'a', points: ['End'], values: [name], http: { url: 'http://hooks' } }
        expect(() => hookFrom(binding, stage.hooks)).toThrow(problem)
      }),
    )
  })

  it.each([
    ['a status that does not mean success', 'hooks', 'hooks answered 503: no hook [redacted]'],
    ['a response without end', 'chatter', 'chatter: the answer is longer than 65536 bytes'],
    ['a refused connection', 'nowhere', 'nowhere: '],
  ])(
    '[deployers P11] fails with the hook and the host only, in lastError, events and logs, after %s',
    (_, host, problem) =>
      onStage(async (stage) => {
        await stage.runtime.http.listen({ host: 'hooks', port: 80 }, () =>
          Promise.resolve({ status: 503, headers: {}, body: new TextEncoder().encode(`no hook ${credential}`) }),
        )
        async function* chatter() {
          for (;;) yield new Uint8Array(1024).fill(120)
        }
        await stage.runtime.http.listen({ host: 'chatter', port: 80 }, () =>
          Promise.resolve({ status: 200, headers: {}, body: chatter() }),
        )
        const http = { url: `http://${host}/services/${credential}?token=s3cret` }
        await deployWith(stage, { name: 'tell', points: ['BeforeReconcile'], http })
        await stage.item()
        const { status } = await stage.until((item) => item.status?.lastError !== undefined)
        expect(status?.lastError?.message).toContain(`hook tell: ${problem}`)
        const shown = JSON.stringify([status, await stage.events(), stage.simulation.logs])
        for (const secret of ['s3cret', credential, '/services']) expect(shown).not.toContain(secret)
      }),
  )

  it('fails when there is no response in time', () =>
    onStage(async (stage) => {
      await stage.runtime.http.listen({ host: 'hooks', port: 80 }, () => new Promise(() => {}))
      await deployWith(stage, {
        name: 'tell',
        points: ['BeforeReconcile'],
        timeout: '5s',
        http: { url: 'http://hooks/tell' },
      })
      await stage.item()
      const item = await stage.until(({ status }) => status?.lastError !== undefined)
      expect(item.status?.lastError?.message).toContain('no answer within 5000 ms')
    }))
})

describe('a Job at a hook point [deployers P8]', () => {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'check:1' }] } }
  const binding: HookBinding = { name: 'check', points: ['BeforeReconcile'], job: { template } }
  const jobs = async (stage: Stage) => (await stage.client.of(resources.jobs).list({ namespace })).items
  const end = (stage: Stage, name: string, type: 'Complete' | 'Failed') => {
    const time = '2026-01-01T00:00:10Z'
    const before = {
      type: type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget',
      status: 'True',
      lastTransitionTime: time,
    }
    const status = {
      startTime: '2026-01-01T00:00:00Z',
      ...(type === 'Complete' ? { completionTime: time, succeeded: 1 } : { failed: 1 }),
      conditions: [before, { type, status: 'True', lastTransitionTime: time, reason: 'Because', message: 'it ended' }],
    }
    return stage.client
      .of(resources.jobs)
      .patch(name, { type: 'merge', value: { status } }, { namespace, subresource: 'status' })
  }

  it('defers the run until it is complete and is created once per run', () =>
    onStage(async (stage) => {
      const calls = await deployWith(stage, binding)
      await stage.item()
      await stage.sleep(60)
      const [job, ...more] = await jobs(stage)
      expect([calls, more]).toEqual([[], []])
      expect(job?.metadata).toMatchObject({
        labels: { 'carabiner.dev/hook': 'check' },
        ownerReferences: [{ kind: 'DeployItem', name: 'thing' }],
      })
      await end(stage, job?.metadata.name ?? '', 'Complete')
      await stage.untilPhase('Succeeded')
      expect(calls).toEqual(['reconcile'])
      expect(await jobs(stage)).toHaveLength(1)
    }))

  it('is created once per run regardless of its duration and replaced by that of the next run', () =>
    onStage(async (stage) => {
      const isOver = new Set<string>()
      const slow = defineDeployer<unknown>({
        type: itemType,
        hooks: hooksFrom(stage, binding),
        reconcile: () => (isOver.size === 0 ? { unfinished: true } : undefined),
        delete() {},
      })
      await stage.deploy(slow)
      // Deletes finished Jobs like the TTL controller.
      const expire = async () => {
        for (const job of await jobs(stage)) {
          const { ttlSecondsAfterFinished } = (job as { spec?: { ttlSecondsAfterFinished?: number } }).spec ?? {}
          if (ttlSecondsAfterFinished !== undefined)
            await stage.client
              .of(resources.jobs)
              .delete(job.metadata.name, { namespace, propagationPolicy: 'Background' })
        }
      }
      await stage.item({ timeout: 'none' })
      await stage.sleep(10)
      const [first] = await jobs(stage)
      await end(stage, first?.metadata.name ?? '', 'Complete')
      await stage.sleep(2 * 3600)
      await expire()
      await stage.sleep(3600)
      expect((await jobs(stage)).map(({ metadata }) => metadata.uid)).toEqual([first?.metadata.uid])
      isOver.add('yes')
      await stage.untilPhase('Succeeded')
      await stage.change({ config: { apiVersion: 'example.com/v1', kind: 'Other' } })
      await stage.sleep(10)
      const later = await jobs(stage)
      expect(later).toHaveLength(1)
      expect(later[0]?.metadata.uid).not.toBe(first?.metadata.uid)
    }))

  it('[deployers P12] sends no request while the Job runs', () =>
    onStage(async (stage) => {
      await deployWith(stage, binding)
      await stage.item()
      await stage.sleep(10)
      stage.reads()
      await stage.sleep(600)
      expect(stage.reads()).toBe(0)
    }))

  it('[deployers P12] fails when an object of someone else has the name of the Job, and does not touch it', () =>
    onStage(async (stage) => {
      await deployWith(stage, binding)
      await stage.item()
      await stage.sleep(10)
      const [own] = await jobs(stage)
      const name = own?.metadata.name ?? ''
      const handle = stage.client.of<KubeObject>(resources.jobs)
      await handle.delete(name, { namespace, propagationPolicy: 'Background' })
      const foreign = await handle.create({
        ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace }, spec: { template } },
      } as KubeObject)
      await stage.annotate({ 'example.com/nudge': '1' })
      const { status } = await stage.until((item) => item.status?.lastError !== undefined)
      expect(status?.lastError?.message).toContain(`a Job named ${name} exists and belongs to someone else`)
      expect((await jobs(stage)).map(({ metadata: { uid } }) => uid)).toEqual([foreign.metadata.uid])
    }))

  it('[deployers P13] fails with the name of an unknown field in the template', () =>
    onStage(async (stage) => {
      const misspelt = { spec: { ...template.spec, restartPolcy: 'Never' } }
      await deployWith(stage, { ...binding, job: { template: misspelt } })
      await stage.item()
      const { status } = await stage.until((item) => item.status?.lastError !== undefined)
      expect(status?.lastError?.message).toContain('restartPolcy')
      expect(await jobs(stage)).toEqual([])
    }))

  it('fails the hook when it fails', () =>
    onStage(async (stage) => {
      const calls = await deployWith(stage, binding)
      await stage.item()
      await stage.sleep(10)
      const [job] = await jobs(stage)
      await end(stage, job?.metadata.name ?? '', 'Failed')
      const item = await stage.until(({ status }) => status?.lastError !== undefined)
      expect(item.status?.lastError?.message).toContain('failed: it ended')
      expect(calls).toEqual([])
    }))
})
