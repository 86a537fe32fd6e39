/** The journal and the metrics of hooks after their pods are deleted, in virtual time. */
import { describe, expect, it } from 'vitest'
import { readJournal } from '../../src/hooks/index.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { pageOf } from '../../src/rollouts/reports/reports.ts'
import { at, isOver, job, play, type Stage } from './rollouts.ts'

const logged = (lines: string, settings: Readonly<Record<string, string>> = {}) => job({ log: lines, ...settings })

/** Records every version of every journal page from now on. */
function watchPages({ client }: Stage): readonly KubeObject[] {
  const seen: KubeObject[] = []
  const watch = async () => {
    const pages = client
      .of(resources.configMaps)
      .watch({ namespace: 'default', labelSelector: 'carabiner.dev/journal' })
    for await (const { object } of pages) seen.push(object as KubeObject)
  }
  watch().catch(() => undefined)
  return seen
}

async function journalOf(stage: Stage) {
  const policy = await stage.untilPolicy(() => true)
  await stage.runtime.clock.sleep(100)
  return readJournal(stage.client, pageOf(policy))
}

describe('the journal', () => {
  it('keeps the logs of hooks after their Jobs are deleted, with one write per rollout', () =>
    play(70, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: logged('3 tables changed\ndone', { 'run-for': '5s' }) },
          {
            name: 'smoke',
            trigger: at('50%'),
            jobSpec: logged('all is well', { 'run-for': '5s' }),
            retainPolicy: 'Never',
          },
        ],
      })
      const pages = watchPages(stage)
      await stage.roll(2)
      const { status } = await stage.untilPolicy(isOver)
      const revision = { name: status?.rollout?.to, number: 2 }
      expect(await journalOf(stage)).toMatchObject([
        {
          ...{ surface: 'rollouts', subject: { kind: 'Deployment', namespace: 'default', name: 'web' } },
          ...{
            lifecycle: status?.rollout?.id,
            revision,
            point: '0',
            hook: 'migrate',
            attempt: 1,
            outcome: 'succeeded',
          },
          log: '3 tables changed\ndone\n',
        },
        { hook: 'smoke', point: '50%', outcome: 'succeeded', log: 'all is well\n' },
      ])
      await stage.untilJobs((jobs) => jobs.length === 0)
      expect(pages).toMatchObject([
        { metadata: { name: 'web-rollouts-journal', ownerReferences: [{ kind: 'RolloutPolicy', name: 'web' }] } },
      ])
    }))

  it('contains every attempt, also of hooks without an object and of earlier rollouts', () =>
    play(71, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({
        lifecycleHooks: [
          {
            name: 'migrate',
            trigger: at(0),
            failurePolicy: 'Retry',
            retry: { limit: 1, backoffSeconds: 60 },
            jobSpec: logged('no such table', { 'exit-code': '1' }),
          },
        ],
      })
      await stage.roll(2)
      await stage.untilPolicy(isOver)
      expect((await journalOf(stage)).map(({ attempt, outcome, log }) => [attempt, outcome, log])).toEqual([
        [1, 'failed', 'no such table\n'],
        [2, 'failed', 'no such table\n'],
      ])
      await stage.changePolicy({
        lifecycleHooks: [{ name: 'ask', trigger: at(0), approval: { timeout: '5s', onTimeout: 'Approve' } }],
      })
      await stage.roll(3)
      await stage.untilPolicy(({ status }) => status?.rollout?.phase === 'Complete')
      expect((await journalOf(stage)).map(({ hook }) => hook)).toEqual(['migrate', 'migrate', 'ask'])
    }))

  it('contains the log of a cancelled hook', () =>
    play(72, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({
        lifecycleHooks: [
          {
            name: 'migrate',
            trigger: at(0),
            timeoutSeconds: 20,
            jobSpec: logged('waiting for a lock', { 'run-for': '1h' }),
          },
        ],
      })
      await stage.roll(2)
      await stage.untilPolicy(isOver)
      expect(await journalOf(stage)).toMatchObject([
        { outcome: 'failed', message: 'Timeout: it took longer than 20 s', log: 'waiting for a lock\n' },
      ])
    }))

  it('contains no secrets of hooks', () =>
    play(73, async (stage) => {
      await stage.client.of(resources.secrets).create({
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: 'default' } },
        data: { password: btoa('hunter22') },
      } as KubeObject)
      const spec = logged('psql postgres://app:hunter22@db/shop')
      const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }]
      const containers = spec.template.spec.containers.map((container) => ({ ...container, env }))
      const template = { ...spec.template, spec: { ...spec.template.spec, containers } }
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: { ...spec, template } }] })
      await stage.roll(2)
      await stage.untilPolicy(isOver)
      expect((await journalOf(stage)).map(({ log }) => log)).toEqual(['psql postgres://app:[redacted]@db/shop\n'])
    }))

  it('is written when the operator ends in between', () =>
    play(74, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: logged('done') },
          { name: 'ask', trigger: at('100%'), approval: {} },
        ],
      })
      await stage.roll(2)
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[1]?.state === 'Running')
      await stage.restart()
      expect(await journalOf(stage)).toMatchObject([{ hook: 'migrate', log: 'done\n' }])
    }))
})

describe('the metrics', () => {
  it('count rollouts, hooks and waits, and name no object', () =>
    play(75, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job() },
          { name: 'smoke', trigger: at('50%'), jobSpec: job({ 'exit-code': '1' }) },
        ],
      })
      await stage.roll(2)
      await stage.untilPolicy(isOver)
      // The engine counts after the response to its write, which other clients can see before.
      await stage.runtime.clock.sleep(100)
      const text = await stage.runtime.metrics.render()
      for (const line of [
        'carabiner_rollouts_started_total{kind="Deployment",type="ROLLOUT"} 1',
        'carabiner_rollouts_ended_total{kind="Deployment",type="ROLLOUT",outcome="aborted"} 1',
        'carabiner_hook_runs_total{surface="rollouts",action="job",outcome="succeeded"} 1',
        'carabiner_hook_runs_total{surface="rollouts",action="job",outcome="failed"} 1',
        'carabiner_hook_run_duration_seconds_count{surface="rollouts",action="job"} 2',
        'carabiner_rollout_gate_wait_seconds_count{kind="Deployment"} 2',
      ])
        expect(text).toContain(line)
      expect(text.split('\n').filter((line) => /carabiner_(rollout|hook).*"(web|migrate|smoke)"/.test(line))).toEqual(
        [],
      )
    }))
})
