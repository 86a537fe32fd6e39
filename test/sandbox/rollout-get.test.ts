/** `rollout get` on a rollout that happens: the tree, and what of it is followed. */
import { expect, it } from 'vitest'
import { detailOf } from '../../src/cli/rollout/detail/detail.ts'
import { followTree, treePage } from '../../src/cli/rollout/get.ts'
import { recordedContext } from '../cli/context.ts'
import { at, isOver, job, play, type Stage } from './rollouts.ts'

const placeOf = ({ client }: Stage) => ({ client, namespace: 'default' })
const isRunning = (stage: Stage) =>
  stage.untilPolicy(({ status }) => status?.rollout?.hooks.some(({ state }) => state === 'Running') ?? false)

it('shows both revisions with their pods, and the hook with its own', () =>
  play(60, async (stage) => {
    await stage.running('Deployment', 2)
    await stage.policy({ lifecycleHooks: [{ name: 'smoke', trigger: at('50%'), jobSpec: job({ 'run-for': '1h' }) }] })
    await stage.roll(2)
    await isRunning(stage)
    await stage.runtime.clock.sleep(10_000)
    const { context } = recordedContext(stage.runtime)
    const page = treePage(context, await detailOf(placeOf(stage), await stage.untilPolicy(() => true)))
    expect(page).toMatch(/\nimages +example\/app:1 → example\/app:2\n/)
    expect(page.slice(page.indexOf('NAME')).replace(/ +/g, ' ')).toMatch(
      new RegExp(
        [
          '^NAME KIND STATE AGE INFO',
          'web Policy Progressing \\d+s Deployment web, 2 wanted',
          '├─ web-\\w+ ReplicaSet new \\d+s example/app:2, 1/1 ready, revision 2',
          '│ ├─ web-\\S+ Pod Running \\d+s ready 1/1',
          '│ └─ smoke Hook Running \\d+s at 50%, \\d+ s',
          '│ └─ web-smoke-\\S+ Pod Running \\d+s ready 1/1',
          '└─ web-\\w+ ReplicaSet old \\d+s example/app:1, 2/2 ready, revision 1',
          ' ├─ web-\\S+ Pod Running \\d+s ready 1/1',
          ' └─ web-\\S+ Pod Running \\d+s ready 1/1',
          '$',
        ].join('\n'),
      ),
    )
  }))

it('prints each line of the tree that is new while it is followed, until it is interrupted', () =>
  play(61, async (stage) => {
    await stage.running('Deployment', 1)
    await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job({ 'run-for': '5s' }) }] })
    await stage.roll(2)
    const policy = await isRunning(stage)
    const end = new AbortController()
    const { context, written } = recordedContext(stage.runtime, { signal: end.signal })
    const following = followTree(context, placeOf(stage), await detailOf(placeOf(stage), policy))
    await stage.untilPolicy(isOver)
    await stage.runtime.clock.sleep(5000)
    const before = written()
    await stage.runtime.clock.sleep(60_000)
    // Ages alone are no news.
    expect(written()).toBe(before)
    end.abort()
    await following
    const lines = written().replace(/ +/g, ' ').split('\n')
    expect(lines.filter((line) => /migrate Hook/.test(line)).map((line) => /Hook (\w+)/.exec(line)?.[1])).toEqual([
      'Running',
      'Succeeded',
    ])
    expect(lines).toContainEqual(expect.stringMatching(/^web Policy Complete/))
  }))
