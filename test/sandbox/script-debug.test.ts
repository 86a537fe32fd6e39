/** What the debug socket shows of script hooks, and the log level it can change. */
import { describe, expect, it } from 'vitest'
import type { HttpClient } from '../../src/runtime/http.ts'
import { type HookPlay, playScripts, type Stage, v1 } from './scripts.ts'

const socket = '/var/run/shell-operator/debug.socket'
const surface = { debug: [{ socket }] }

const waiting: HookPlay = {
  config: {
    configVersion: 'v1',
    onStartup: 3,
    schedule: [{ crontab: '*/5 * * * *', queue: 'night' }],
    kubernetes: [{ name: 'maps', kind: 'ConfigMap', jqFilter: '.data', keepFullObjectsInMemory: false }],
  },
}
const failing: HookPlay = { config: { configVersion: 'v1', onStartup: 9 }, run: async () => 1 }

async function ask({ runtime }: Stage, target: string, form?: Readonly<Record<string, string>>) {
  const request: Parameters<HttpClient['request']>[1] =
    form === undefined
      ? { method: 'GET', target, headers: {} }
      : { method: 'POST', target, headers: {}, body: new TextEncoder().encode(`${new URLSearchParams(form)}`) }
  const { status, body } = await runtime.http.request({ origin: 'http://localhost', socket }, request)
  return { status, text: new TextDecoder().decode(body as Uint8Array) }
}

describe('the debug socket', () => {
  it('[addons I1] lists queues as text, JSON and YAML, empty ones on request', () =>
    playScripts(
      { 'a.sh': failing },
      async (stage) => {
        void stage.start()
        await stage.sleep(1)
        expect((await ask(stage, '/queue/main.text')).text).toBe(
          'Queue "main": length 1, status: sleep after fail for 3s\n1. HookRun:main:onStartup:a.sh:onStartup:failures 1\n',
        )
        expect(JSON.parse((await ask(stage, '/queue/list.json?showEmpty=true')).text)).toEqual({
          active: [
            {
              name: 'main',
              tasksCount: 1,
              status: 'sleep after fail for 3s',
              tasks: [{ index: 1, description: 'HookRun:main:onStartup:a.sh:onStartup:failures 1' }],
            },
          ],
          empty: [],
          summary: { mainQueueTasks: 1, otherQueues: { active: 0, empty: 0, tasks: 0 }, totalTasks: 1 },
        })
        expect((await ask(stage, '/queue/list.yaml')).text).toContain('mainQueueTasks: 1\n')
      },
      { surface },
    ))

  it('[addons I1] lists other queues when main is empty', () =>
    playScripts(
      {
        'a.sh': v1({ schedule: [{ crontab: '*/5 * * * *', queue: 'night' }] }, async () => 1),
      },
      async (stage) => {
        await stage.start()
        await stage.sleep(301)
        expect((await ask(stage, '/queue/main.text')).text).toBe('Queue "main": empty\n')
        expect((await ask(stage, '/queue/list.text')).text).toContain('Queue "night": length 1')
      },
      { surface },
    ))

  it('[addons I2] lists hooks with their bindings', () =>
    playScripts(
      { 'a.sh': waiting },
      async (stage) => {
        await stage.start()
        expect((await ask(stage, '/hook/list.text')).text).toBe(
          'a.sh\n  onStartup on order 3, queue main\n  schedule on */5 * * * *, queue night\n  kubernetes maps on ConfigMap Added|Modified|Deleted, queue main\n',
        )
        expect(JSON.parse((await ask(stage, '/hook/list.json')).text)[0].bindings).toHaveLength(3)
      },
      { surface },
    ))

  it('[addons I3] shows the snapshots of a hook and lists the available ones for an unknown name', () =>
    playScripts(
      { 'a.sh': waiting },
      async (stage) => {
        await stage.configMap('one', { a: 'b' })
        await stage.start()
        const { maps } = JSON.parse((await ask(stage, '/hook/a.sh/snapshots.json')).text)
        expect(maps).toContainEqual({ filterResult: { a: 'b' } })
        expect(JSON.parse((await ask(stage, '/hook/a/snapshots.json')).text)).toEqual({ maps })
        const missing = await ask(stage, '/hook/b.sh/snapshots.json')
        expect(missing.status).toBe(404)
        expect(missing.text).toBe('there is no hook b.sh; there are a.sh\n')
        expect((await ask(stage, '/nothing.json')).text).toContain('/hook/NAME/snapshots')
        const unfinished = await ask(stage, '/hook/a.sh/snapshots')
        expect(unfinished.status).toBe(404)
        expect(unfinished.text).toMatch(/^there is no GET \/hook\/a\.sh\/snapshots; there is GET /)
        expect(await ask(stage, '/hook/%E0%A4%A/snapshots.json')).toEqual({
          status: 400,
          text: 'invalid path /hook/%E0%A4%A/snapshots.json: write % as %25\n',
        })
      },
      { surface },
    ))

  it('[addons I4] changes the log level; debug is reset after half an hour or on request', () =>
    playScripts(
      { 'a.sh': waiting },
      async (stage) => {
        await stage.start()
        expect((await ask(stage, '/config/list.text')).text).toBe('log.level info\n')
        expect((await ask(stage, '/config/set', { name: 'log.level', value: 'debug' })).status).toBe(200)
        expect(stage.runtime.logVolume.level).toBe('debug')
        await stage.sleep(29 * 60)
        expect((await ask(stage, '/config/list.text')).text).toMatch(/^log\.level debug until /)
        await stage.sleep(61)
        expect(stage.runtime.logVolume.level).toBe('info')
        await ask(stage, '/config/set', { name: 'log.level', value: 'error', duration: '10s' })
        await stage.sleep(11)
        expect(stage.runtime.logVolume.level).toBe('info')
        await ask(stage, '/config/set', { name: 'log.level', value: 'warn' })
        await ask(stage, '/config/set', { name: 'log.level', value: 'debug', duration: '10s' })
        await stage.sleep(11)
        expect(stage.runtime.logVolume.level).toBe('warn')
        expect(await ask(stage, '/config/set', { name: 'log.level', value: 'loud' })).toEqual({
          status: 400,
          text: 'log.level "loud": must be debug, info, warn or error\n',
        })
      },
      { surface },
    ))
})
