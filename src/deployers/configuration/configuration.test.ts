import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { KubeClient } from '../../kube/client/client.ts'
import { createClient } from '../../kube/client/create.ts'
import { parseYaml } from '../../kube/manifest/index.ts'
import { handlerTransport } from '../../kube/transport/handler.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { HookRunner } from '../hooks/runner.ts'
import { deployersSurface } from '../surface.ts'
import { type DeployerEntry, readConfiguration, resolvedIn, surfaceOptions } from './configuration.ts'

const file = 'deployers.yaml'
const call = { name: 'h', points: ['End'], http: { url: 'http://x/' } }
const hooked = (...hooks: readonly object[]) => ({ deployers: [{ name: 'mock', hooks }] })

const runnerOf = (client: KubeClient, runtime: Runtime) => new HookRunner(client, runtime, AbortSignal.abort())

describe('readConfiguration', () => {
  it('returns timeouts in milliseconds and one deployer per entry', () => {
    const { runtime } = createSimulation(1)
    const client = createClient({ transport: handlerTransport(() => Promise.reject(new Error('unused'))), runtime })
    const options = surfaceOptions(
      readConfiguration(
        {
          deployItemTimeouts: { pickup: 'none', abort: '1m' },
          deployers: [
            { name: 'mock', identity: 'a', targetSelectors: [{ targets: [{ name: 'north' }] }] },
            {
              name: 'mock',
              identity: 'b',
              hooks: [{ name: 'h', points: ['Start', 'End'], http: { url: 'http://x/' } }],
            },
          ],
        },
        file,
      ),
    )
    expect(options.timeouts).toEqual({ pickup: 0, abort: 60_000 })
    const [one, two] = options.deployers(runtime, options.targetClients(runtime), client, runnerOf(client, runtime))
    expect(one?.options).toEqual({ identity: 'a', targetSelectors: [{ targets: [{ name: 'north' }] }] })
    expect(one?.deployer.hooks.get('Start')).toHaveLength(0)
    expect(two?.deployer.hooks.get('Start')).toHaveLength(1)
    expect(two?.deployer.hooks.get('End')).toHaveLength(1)
  })

  it('accepts the file in the reference page', () => {
    const page = readFileSync('docs/reference/deployer-hooks.md', 'utf8')
    const document = parseYaml(/```yaml\n(deployItemTimeouts[\s\S]*?)```/.exec(page)?.[1] ?? '', file)
    const { deployers = [] } = readConfiguration(document as never, file)
    expect(deployers.map(({ name, hooks = [] }) => [name, ...hooks.map((hook) => hook.name)])).toEqual([
      ['manifest', 'freeze', 'notify', 'backup'],
      ['helm'],
    ])
    const { runtime } = createSimulation(1)
    const client = createClient({ transport: handlerTransport(() => Promise.reject(new Error('unused'))), runtime })
    const options = surfaceOptions({ deployers })
    expect(options.deployers(runtime, options.targetClients(runtime), client, runnerOf(client, runtime))).toHaveLength(
      2,
    )
  })

  it.each([
    [{ deployer: [] }, 'deployers.yaml: deployer: there is no such field'],
    [{ deployers: [{ name: 'mock', worker: 1 }] }, 'deployers[0].worker: there is no such field'],
    [
      hooked({ ...call, http: { url: 'http://x/', header: {} } }),
      'deployers[0].hooks[0].http.header: there is no such field',
    ],
    [hooked({ ...call, timout: '5s' }), 'deployers[0].hooks[0].timout: there is no such field'],
    [{ deployers: [{ identity: 'a' }] }, 'deployers[0].name: Required value'],
    [
      { deployers: [{ name: 'mock', hooks: [{ name: 'h', points: ['Sometimes'], http: { url: 'http://x' } }] }] },
      'points[0]',
    ],
    [{ deployItemTimeouts: { pickup: 'soon' } }, 'deployItemTimeouts.pickup'],
    [{ deployers: [{ name: 'mock', workers: 0 }] }, 'deployers[0].workers'],
    [
      hooked({ ...call, http: { url: 'hooks.example/T0/s3cret' } }),
      "deployers.yaml: deployers[0].hooks[0].http.url: Invalid value: deployers[0].hooks[0].http.url in body should match '^https",
    ],
    [hooked({ name: 'h', points: ['End'] }), 'deployers[0].hooks[0] (h): exactly one of process, http, job'],
    [hooked({ name: 'h', points: ['End'], job: { template: {} } }), 'hooks[0] (h): a job cannot be at End'],
    [hooked({ ...call, timeout: 'none' }), 'hooks[0] (h): timeout none'],
    [hooked(call, call), 'deployers[0].hooks[1].name: hooks[0] already has the name h'],
  ])('refuses %j and names file and field', (document, field) => {
    expect(() => readConfiguration(document as never, file)).toThrow(file)
    expect(() => readConfiguration(document as never, file)).toThrow(field)
  })

  it.each([
    [{ name: 'terraform' }, 'unknown deployer "terraform"'],
    [{ name: 'mock', hooks: [{ name: 'h', points: ['End'] }] }, 'exactly one of process, http, job'],
  ] as const)('refuses %j when the surface starts', (entry, message) => {
    const { runtime } = createSimulation(1)
    const client = createClient({ transport: handlerTransport(() => Promise.reject(new Error('unused'))), runtime })
    const options = surfaceOptions({ deployers: [entry as never] })
    expect(() => options.deployers(runtime, options.targetClients(runtime), client, runnerOf(client, runtime))).toThrow(
      message,
    )
  })
})

it.each([
  [{ command: ['./freeze.sh', './x'] }, { command: ['/etc/hooks/freeze.sh', './x'] }],
  [{ command: ['bin/freeze'] }, { command: ['/etc/hooks/bin/freeze'] }],
  [{ command: ['../freeze'] }, { command: ['/etc/hooks/../freeze'] }],
  [{ command: ['/bin/freeze'] }, { command: ['/bin/freeze'] }],
  [
    { command: ['bash', 'freeze.sh'], workingDir: '.' },
    { command: ['bash', 'freeze.sh'], workingDir: '/etc/hooks' },
  ],
  [
    { command: ['bash'], workingDir: './a' },
    { command: ['bash'], workingDir: '/etc/hooks/a' },
  ],
  [
    { command: ['bash'], workingDir: '/a' },
    { command: ['bash'], workingDir: '/a' },
  ],
])('resolves the program hook %j in the folder of the file', (process, resolved) => {
  const configuration = (hook: typeof process) => ({
    landscaper: false,
    deployers: [{ name: 'mock', hooks: [{ name: 'a', points: ['End' as const], process: hook }] }, { name: 'helm' }],
  })
  expect(resolvedIn('/etc/hooks', configuration(process))).toEqual(configuration(resolved))
})

describe('the rights of an installation', () => {
  const rightsFor = (...deployers: DeployerEntry[]) => {
    const { rules } = deployersSurface(surfaceOptions({ deployers })).installation()
    return Object.fromEntries(rules.map(({ resources, verbs }) => [resources.join(), verbs.join()]))
  }
  const process = { command: ['true'] }

  it('[deployers P18] are the sum of what the deployers declare that are switched on', () => {
    const mock = rightsFor({ name: 'mock' })
    expect(mock).toEqual({
      deployitems: 'get,list,watch,patch,create,update,delete',
      'deployitems/status': 'update',
      targets: 'get,list,watch,patch',
      contexts: 'get,list,watch,create',
      executions: 'get,list,watch,patch',
      events: 'create,patch',
      'executions/status': 'update',
      'executions/finalizers': 'update',
      namespaces: 'get,list,watch',
    })
    expect(rightsFor({ name: 'manifest' }, { name: 'mock' })).toEqual({
      ...mock,
      secrets: 'get,create,patch',
      'deployitems/finalizers': 'update',
    })
    expect(rightsFor({ name: 'helm' })).toEqual(rightsFor({ name: 'manifest' }))
    expect(rightsFor({ name: 'container' })).toMatchObject({
      secrets: 'get,create,patch,delete',
      pods: 'get,list,watch,create,delete',
      roles: 'create',
    })
  })

  it('[deployers P18] include those of hooks', () => {
    const programs = rightsFor({ name: 'mock', hooks: [{ name: 'a', points: ['End'], process }] })
    expect([programs['configmaps'], programs['jobs']]).toEqual(['get,create,patch', undefined])
    const jobs = rightsFor({ name: 'mock', hooks: [{ name: 'a', points: ['BeforeDelete'], job: { template: {} } }] })
    expect(jobs).toMatchObject({
      jobs: 'get,list,watch,create,delete',
      'pods/log': 'get',
      configmaps: 'get,create,patch',
    })
  })
})
