/** The functions behind the deploy item commands. */
import { describe, expect, it } from 'vitest'
import type { CliContext } from '../../src/cli/context.ts'
import { explainItem, explanationText } from '../../src/cli/item/explain.ts'
import { type Known, knownBy, knownFrom } from '../../src/cli/item/explanation/known.ts'
import { findItem, findTarget, outcomeOf } from '../../src/cli/item/items.ts'
import { eventsOf, podOf } from '../../src/cli/item/logs.ts'
import { operate } from '../../src/cli/item/operate.ts'
import { statusText } from '../../src/cli/item/status.ts'
import { waitForEnd } from '../../src/cli/item/wait.ts'
import { defineDeployer, type Outcome } from '../../src/deployers/library/deployer.ts'
import { deployersSurface } from '../../src/deployers/surface.ts'
import { defaultTimeouts } from '../../src/deployers/timeouts/decide.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { itemType, onStage, type Stage } from './deployers.ts'

const placeOf = ({ client }: Stage) => ({ client, namespace: 'default' })

function terminal({ runtime }: Stage, written: string[]): CliContext {
  const output = { write: (text: string) => void written.push(text), isTerminal: false, columns: 80 }
  const signal = new AbortController().signal
  const readStdin = async () => new Uint8Array()
  return {
    runtime,
    stdout: output,
    stderr: output,
    readStdin,
    exit: () => {},
    leave: () => {},
    signal,
    programName: '',
  }
}

/** Takes ten seconds per item and reports progress. */
const slow = (calls: string[] = []) =>
  defineDeployer({
    type: itemType,
    name: 'slow',
    async reconcile({ clock, signal, report }): Promise<Outcome | undefined> {
      calls.push('reconcile')
      report('half way')
      await clock.sleep(10_000, signal)
      return undefined
    },
    forceReconcile: () => void calls.push('force') as undefined,
    delete: () => undefined,
  })

const known = (...targetSelectors: Known['deployers'][number]['targetSelectors'][]): Known => ({
  deployers: targetSelectors.map((selectors, index) => ({
    name: `deployer-${index}`,
    type: itemType,
    targetSelectors: selectors,
  })),
  timeouts: defaultTimeouts,
  deletionFirst: false,
})

describe('an unknown item', () => {
  const wrong = (stage: Stage) => findItem(placeOf(stage), 'thign')

  it('is reported with similar existing items', () =>
    onStage(async (stage) => {
      await expect(wrong(stage)).rejects.toMatchObject({ remedy: expect.stringContaining('`carabiner item list -A`') })
      await stage.item()
      await stage.item({}, { name: 'other' })
      await expect(wrong(stage)).rejects.toMatchObject({
        message: 'there is no DeployItem default/thign',
        remedy: 'Namespace default has other, thing; -n chooses another namespace.',
      })
    }))

  it('is explained by missing resource definitions', () =>
    onStage(async (stage) => {
      const name = 'deployitems.landscaper.gardener.cloud'
      await stage.client.of(resources.customResourceDefinitions).delete(name)
      await stage.sleep(5)
      await expect(wrong(stage)).rejects.toMatchObject({
        code: 'CRB_RESOURCE_NOT_SERVED',
        remedy: expect.stringContaining('carabiner install --deployers'),
      })
    }))
})

describe('waiting for an item', () => {
  it('shows the phases and ends with the run', () =>
    onStage(async (stage) => {
      await stage.deploy(slow())
      const item = await stage.item()
      const written: string[] = []
      const seen = await waitForEnd(terminal(stage, written), placeOf(stage), item, undefined)
      expect(seen.outcome).toBe('settled')
      expect(seen.item?.status?.phase).toBe('Succeeded')
      expect(written.join('')).toMatch(/^✓ thing: not picked up\n✓ thing: Init\n✓ thing: Progressing\n/)
    }))

  it('stops at the timeout', () =>
    onStage(async (stage) => {
      await stage.deploy(slow())
      const before = stage.runtime.clock.now()
      const { outcome, item } = await waitForEnd(terminal(stage, []), placeOf(stage), await stage.item(), 5_000)
      expect([outcome, item?.status?.phase]).toEqual(['going', 'Progressing'])
      expect(stage.runtime.clock.now() - before).toBe(5_000)
    }))

  it('ends when the item is deleted', () =>
    onStage(async (stage) => {
      await stage.deploy(slow())
      await stage.item()
      await stage.untilPhase('Succeeded')
      await stage.remove()
      const item = { ...(await stage.get().catch(() => undefined)), metadata: { name: 'thing' } }
      const { outcome, item: left } = await waitForEnd(terminal(stage, []), placeOf(stage), item as never, 60_000)
      expect([outcome, left]).toEqual(['settled', undefined])
    }))
})

describe('reconcile, force and abort', () => {
  it('trigger another call of the deployer', () =>
    onStage(async (stage) => {
      const calls: string[] = []
      await stage.deploy(slow(calls))
      await stage.item()
      await stage.untilPhase('Succeeded')
      for (const verb of ['reconcile', 'force'] as const) {
        const asked = await operate(placeOf(stage), 'thing', verb, stage.runtime.clock.now())
        expect(outcomeOf(asked)).toBe('going')
        expect((await waitForEnd(terminal(stage, []), placeOf(stage), asked, undefined)).outcome).toBe('settled')
      }
      expect(calls).toEqual(['reconcile', 'reconcile', 'force'])
    }))

  it('abort only a running item', () =>
    onStage(async (stage) => {
      await stage.deploy(slow())
      await stage.item()
      await stage.untilPhase('Progressing')
      const asked = await operate(placeOf(stage), 'thing', 'abort', stage.runtime.clock.now())
      const { outcome, item } = await waitForEnd(terminal(stage, []), placeOf(stage), asked, undefined)
      expect([outcome, item?.status?.lastError?.reason]).toEqual(['failed', 'Aborted'])
      await expect(operate(placeOf(stage), 'thing', 'abort', 0)).rejects.toMatchObject({ code: 'CRB_USAGE' })
      await expect(operate(placeOf(stage), 'none', 'abort', 0)).rejects.toMatchObject({ code: 'CRB_USAGE' })
      if (item !== undefined)
        expect(statusText(item, stage.runtime.clock.now())).toMatch(/^phase {6}Failed$[\s\S]*^reason {5}Aborted$/m)
    }))
})

describe('explain', () => {
  const north = [{ labels: [{ key: 'zone', operator: 'in', values: ['north', 'east'] }] }] as const
  const south = [{ targets: [{ name: 'pole' }], annotations: [{ key: 'cold', operator: 'exists' }] }] as const

  it('shows the responsible deployer, the matching selector and the next step', () =>
    onStage(async (stage) => {
      await stage.target('hut', { labels: { zone: 'north' } })
      const item = await stage.item({ target: { name: 'hut' } })
      const target = await findTarget(placeOf(stage), item)
      const now = stage.runtime.clock.now()
      expect(explanationText(explainItem(item, target, known(north, south), now))).toBe(
        [
          'item      default/thing',
          `type      ${itemType}`,
          'target    hut',
          'phase     not picked up',
          '',
          'Who is responsible:',
          '  ✓ deployer-0: a target selector matches Target hut',
          '      matches: label zone in (north, east)',
          '  ✗ deployer-1: no target selector matches Target hut',
          '      no match: target pole and annotation cold',
          '',
          'What comes next:',
          '  a run begins, because generation 1 is not observed yet: the phase becomes Init',
          "  the deployer's function reconcile is called",
          '',
        ].join('\n'),
      )
      expect(explainItem(item, target, known(north, []), now).next[0]).toContain('2 deployers are responsible')
      expect(explainItem(item, undefined, known([]), now)).toMatchObject({
        target: 'hut (missing)',
        deployers: [{ isResponsible: false, why: 'there is no Target hut' }],
        next: ["nothing until there is a Target hut in the item's namespace"],
      })
      expect(explainItem(item, target, known(south), now).next).toEqual([
        'nothing: none of the known deployers is responsible',
      ])
    }))

  it('lists the known types and their source when no deployer is responsible', () =>
    onStage(async (stage) => {
      const item = await stage.item({ type: 'landscaper.gardener.cloud/kubernetes-manifests', target: { name: 'hut' } })
      const stock = await knownBy(terminal(stage, []), {}, placeOf(stage))
      const { next } = explainItem(item, undefined, stock, stage.runtime.clock.now())
      expect(next[0]).toMatch(/^nothing: no known deployer takes the type .*-manifests; they take .*-manifest, /)
      expect(next[1]).toContain('--operator')
    }))

  it('explains every phase of an item', () =>
    onStage(async (stage) => {
      await stage.deploy(slow())
      const config = { apiVersion: 'example.com/v1', kind: 'Config', continuousReconcile: { every: '1h' } }
      await stage.item({ config })
      const next = async () =>
        explainItem(await findItem(placeOf(stage), 'thing'), undefined, known([]), stage.runtime.clock.now()).next
      await stage.untilPhase('Progressing')
      expect((await next())[0]).toMatch(/^the run goes on: .* reconcile is called again until .*, until \d{4}-/)
      await stage.untilPhase('Succeeded')
      expect((await next())[0]).toMatch(/^a run begins at \d{4}-.*Z, because of continuousReconcile/)
      await stage.annotate({ 'landscaper.gardener.cloud/ignore': 'true' })
      expect(await next()).toEqual(['nothing: the annotation landscaper.gardener.cloud/ignore says so'])
      await stage.annotate({
        'landscaper.gardener.cloud/ignore': null,
        'continuousreconcile.extensions.landscaper.gardener.cloud/active': 'false',
      })
      expect((await next())[0]).toMatch(/^nothing until its spec changes/)
    }))

  it('reads deployers from a configuration', () =>
    onStage(async (stage) => {
      const configuration = {
        deployItemTimeouts: { pickup: '1m' },
        deployers: [{ name: 'mock', identity: 'here', targetSelectors: north }],
      }
      expect(knownFrom(configuration, stage, placeOf(stage))).toEqual({
        timeouts: { ...defaultTimeouts, pickup: 60_000 },
        deletionFirst: false,
        deployers: [
          {
            name: 'mock.deployer.landscaper.gardener.cloud',
            type: 'landscaper.gardener.cloud/mock',
            identity: 'here',
            targetSelectors: north,
          },
        ],
      })
    }))
})

describe('explain with a running operator', () => {
  it('requests deployers and selectors from the operator', () =>
    onStage(async (stage) => {
      const targetSelectors = [{ targets: [{ name: 'hut' }] }]
      const surface = deployersSurface({
        deployers: () => [{ deployer: slow(), options: { identity: 'one', targetSelectors } }],
        targetClients: () => ({ clientFor: () => Promise.reject(new Error('unused')), close: () => Promise.resolve() }),
        timeouts: { pickup: 1_000 },
      })
      const { client, runtime } = stage
      const ending = new AbortController()
      const { port } = await runtime.http.listen({ host: '127.0.0.1', port: 0 }, surface.handler)
      const ask = () => knownBy(terminal(stage, []), { operator: `http://127.0.0.1:${port}` }, placeOf(stage))
      await expect(ask()).rejects.toMatchObject({ code: 'CRB_OPERATOR_NOT_FOUND' })
      const running = await surface.start({ client, runtime, signal: ending.signal })
      expect(await ask()).toMatchObject({
        timeouts: { pickup: 1_000, abort: 300_000 },
        deployers: [{ name: 'slow', identity: 'one', type: itemType, targetSelectors }],
      })
      ending.abort()
      await running.stop()
      await expect(ask()).rejects.toMatchObject({ message: expect.stringContaining('is not the leader') })
      const wrong = knownBy(terminal(stage, []), { operator: 'here' }, placeOf(stage))
      await expect(wrong).rejects.toMatchObject({ code: 'CRB_USAGE' })
    }))
})

describe('logs', () => {
  it('contain only this item', () =>
    onStage(async (stage) => {
      await stage.deploy(slow())
      await stage.item({}, { name: 'other' })
      await stage.untilPhase('Succeeded', 'other')
      const item = await stage.item()
      await stage.untilPhase('Succeeded')
      await stage.sleep(1)
      const events = await eventsOf(placeOf(stage), item)
      expect(events.map(({ reason, note }) => [reason, note])).toEqual([['Progress', 'half way']])
    }))

  it('find the pod of a container item', () => {
    expect(podOf({ podStatus: { podName: 'run-1' } })).toBe('run-1')
    expect(podOf(undefined)).toBeUndefined()
  })
})
