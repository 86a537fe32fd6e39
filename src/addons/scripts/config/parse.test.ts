import { describe, expect, it } from 'vitest'
import type { HookScope } from '../hook.ts'
import { parseConfigText } from './parse.ts'

const read = (text: string, scope: HookScope = 'standalone') => parseConfigText(text, { scope, jq: {} })
const v1 = (text: string, scope: HookScope = 'standalone') => read(`configVersion: v1\n${text}`, scope)
const errorsOf = (text: string): readonly string[] => v1(text).errors

describe('v0', () => {
  it('[addons C4] reads several bindings in one object and several entries of each', () => {
    const { config, errors } = read(
      `{"onStartup": 5, "beforeAll": 1, "schedule": [{"crontab": "* * * * *"}, {"name": "b", "crontab": "@daily"}],
        "onKubernetesEvent": [{"kind": "pod"}, {"kind": "Secret", "name": "s"}]}`,
      'global',
    )
    expect(errors).toEqual([])
    expect(config).toMatchObject({ version: 'v0', disabled: false, onStartup: 5, orders: { beforeAll: 1 } })
    expect(config.schedules.map(({ name, crontab }) => [name, crontab])).toEqual([
      ['schedule', '* * * * *'],
      ['b', '@daily'],
    ])
    expect(config.kubernetes.map(({ name, kind }) => [name, kind])).toEqual([
      ['onKubernetesEvent', 'pod'],
      ['s', 'Secret'],
    ])
  })

  it('[addons B5] accepts any number as an order, and only numbers', () => {
    expect(read('{"onStartup": 1.5}').config.onStartup).toBe(1.5)
    expect(read('{"onStartup": -3}').config.onStartup).toBe(-3)
    expect(read('{"onStartup": "5"}').errors).toEqual(['onStartup: must be a number, not "5"'])
  })

  it('[addons C6] warns about bindings of other kinds of hooks and unknown keys, and ignores them', () => {
    const { config, errors, warnings } = read('{"beforeHelm": 1, "onstartup": 2, "onStartup": 3}', 'global')
    expect([config.onStartup, config.orders, errors]).toEqual([3, {}, []])
    expect(warnings).toEqual([
      'beforeHelm: belongs to module hooks, but this is a global hook; ignored',
      expect.stringContaining('onstartup: is not known and ignored (did you mean onStartup?)'),
    ])
  })

  it('[addons B7, Z1] binds to all three events by default', () => {
    const events = (text: string) =>
      read(`{"onKubernetesEvent":[{"kind":"pod"${text}}]}`).config.kubernetes[0]?.executeHookOnEvent
    expect(events('')).toEqual(['Added', 'Modified', 'Deleted'])
    expect(events(',"event":["delete","add"]')).toEqual(['Deleted', 'Added'])
  })

  it('[addons B7] accepts operator and operation in match expressions', () => {
    const selector = (verb: string) =>
      read(
        `{"onKubernetesEvent":[{"kind":"pod","selector":{"matchLabels":{"a":"b"},"matchExpressions":[
          {"key":"tier","${verb}":"In","values":["cache","web"]},{"key":"x","${verb}":"DoesNotExist"},
          {"key":"y","${verb}":"NotIn","values":["z"]},{"key":"w","${verb}":"Exists"}]}}]}`,
      )
    for (const verb of ['operation', 'operator']) {
      expect(selector(verb).errors).toEqual([])
      expect(selector(verb).config.kubernetes[0]?.labelSelector).toBe('a=b,tier in (cache,web),!x,y notin (z),w')
    }
  })

  it('[addons B7] reads objectName', () => {
    const named = (name: string) => read(`{"onKubernetesEvent":[{"kind":"pod","objectName":"${name}"}]}`)
    expect(named('web')).toMatchObject({ errors: [], warnings: [], config: { kubernetes: [{ names: ['web'] }] } })
    expect(named('').config.kubernetes[0]).not.toHaveProperty('names')
  })

  it.each([
    ['', { of: 'all' }],
    [',"namespaceSelector":{"any":true,"matchNames":["a"]}', { of: 'all' }],
    [',"namespaceSelector":{"matchNames":["a","b"]}', { of: 'names', names: ['a', 'b'] }],
    [',"namespaceSelector":{"any":false}', { of: 'names', names: [] }],
    [',"namespaceSelector":{"any":"no","matchNames":["a"]}', { of: 'names', names: ['a'] }],
  ])('[addons B7] reads the namespace selector: %s', (text, expected) => {
    expect(read(`{"onKubernetesEvent":[{"kind":"pod"${text}}]}`).config.kubernetes[0]?.namespaces).toEqual(expected)
  })

  it.each([
    ['yes', true],
    ['"yes"', true],
    ['true', true],
    ['"no"', false],
    ['no', false],
  ])('[addons B7] reads allowFailure: %s', (word, expected) => {
    const { config } = read(`{"onKubernetesEvent":[{"kind":"pod","allowFailure":${word},"disableDebug":${word}}]}`)
    expect(config.kubernetes[0]).toMatchObject({ allowFailure: expected, disableDebug: expected })
  })
})

describe('v1', () => {
  it('[addons V1] fills in defaults', () => {
    const { config, errors } = v1('kubernetes: [{kind: Pod}]\nschedule: [{crontab: "* * * * *"}]\nonStartup: 2')
    expect(errors).toEqual([])
    expect(config).toEqual({
      version: 'v1',
      disabled: false,
      onStartup: 2,
      orders: {},
      kubernetes: [
        {
          name: 'kubernetes',
          kind: 'Pod',
          executeHookOnEvent: ['Added', 'Modified', 'Deleted'],
          executeHookOnSynchronization: true,
          waitForSynchronization: true,
          keepFullObjectsInMemory: true,
          namespaces: { of: 'all' },
          disableDebug: false,
          allowFailure: false,
          queue: 'main',
          includeSnapshotsFrom: [],
        },
      ],
      schedules: [
        { name: 'schedule', crontab: '* * * * *', allowFailure: false, queue: 'main', includeSnapshotsFrom: [] },
      ],
      validating: [],
      mutating: [],
      conversions: [],
      settings: { executionMinInterval: 0, executionBurst: 1 },
    })
  })

  it('[addons V2] reads every field of a kubernetes binding', () => {
    const { config, errors } = v1(`
kubernetes:
- name: pods
  apiVersion: v1
  kind: Pod
  executeHookOnEvent: [Added]
  executeHookOnSynchronization: false
  waitForSynchronization: false
  keepFullObjectsInMemory: false
  nameSelector: {matchNames: [web-0, web-1]}
  labelSelector: {matchLabels: {app: web}}
  fieldSelector: {matchExpressions: [{field: status.phase, operator: Equals, value: Running}, {field: spec.x, operator: "!=", value: "a,b"}]}
  namespace: {nameSelector: {matchNames: [shop]}}
  jqFilter: '{ip: .status.podIP}'
  allowFailure: true
  queue: pods
  group: all
- {name: labelled, kind: po, watchEvent: [], namespace: {labelSelector: {matchLabels: {a: b}}, nameSelector: {matchNames: [c]}}}
`)
    expect(errors).toEqual([])
    const [pods, labelled] = config.kubernetes
    expect({ ...pods, jqFilter: pods?.jqFilter?.first({ status: { podIP: '10.0.0.7' } }) }).toEqual({
      name: 'pods',
      apiVersion: 'v1',
      kind: 'Pod',
      executeHookOnEvent: ['Added'],
      executeHookOnSynchronization: false,
      waitForSynchronization: false,
      keepFullObjectsInMemory: false,
      names: ['web-0', 'web-1'],
      labelSelector: 'app=web',
      fieldSelector: 'status.phase=Running,spec.x!=a\\,b',
      namespaces: { of: 'names', names: ['shop'] },
      jqFilter: { ip: '10.0.0.7' },
      allowFailure: true,
      queue: 'pods',
      group: 'all',
      includeSnapshotsFrom: ['pods'],
      disableDebug: false,
    })
    expect(labelled).toMatchObject({ executeHookOnEvent: [], namespaces: { of: 'labels', selector: 'a=b' } })
  })

  it('[addons V3] always waits for Synchronization in the main queue', () => {
    const { config } = v1('kubernetes: [{kind: Pod, waitForSynchronization: false}]')
    expect(config.kubernetes[0]?.waitForSynchronization).toBe(true)
  })

  it('[addons V4] includes the snapshots of the kubernetes bindings in its group, besides the named ones', () => {
    const { config, errors } = v1(`
kubernetes: [{name: a, kind: Pod, group: g}, {name: b, kind: Pod, group: g}, {name: c, kind: Pod}]
schedule: [{crontab: "@daily", group: g, includeSnapshotsFrom: [c]}]
`)
    expect(errors).toEqual([])
    expect(config.schedules[0]?.includeSnapshotsFrom).toEqual(['c', 'a', 'b'])
    expect(config.kubernetes.map(({ includeSnapshotsFrom }) => includeSnapshotsFrom)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      [],
    ])
  })

  it('[addons V4] refuses unknown and ambiguous snapshot names', () => {
    expect(
      errorsOf(`
kubernetes: [{name: pods, kind: Pod}, {kind: Pod}, {kind: Secret}]
schedule: [{crontab: "@daily", includeSnapshotsFrom: [pod, kubernetes]}]
`),
    ).toEqual([
      'schedule[0].includeSnapshotsFrom: no kubernetes binding is called "pod" (did you mean pods?)',
      'schedule[0].includeSnapshotsFrom: 2 kubernetes bindings are called "kubernetes"; give them different names',
    ])
  })

  it('[addons V5] reads settings and requires executionMinInterval', () => {
    const settings = (text: string) => v1(`onStartup: 1\nsettings: ${text}`)
    expect(settings('{executionMinInterval: 3s, executionBurst: 2}').config.settings).toEqual({
      executionMinInterval: 3000,
      executionBurst: 2,
    })
    expect(settings('{executionMinInterval: soon}').errors).toEqual([
      'settings.executionMinInterval: "soon" is not a duration such as 3s, 1m30s or 500ms',
    ])
    expect(settings('{executionMinInterval: 3}').errors).toEqual([
      'settings.executionMinInterval: 3 is not a duration such as 3s, 1m30s or 500ms',
    ])
    expect(settings('{executionBurst: 2}').errors).toEqual(['settings.executionMinInterval: is required in settings'])
  })

  it('[addons V6] reads admission bindings', () => {
    const { config, errors } = v1(`
kubernetesValidating:
- name: quota.example.com
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods], scope: Namespaced}]
  failurePolicy: Ignore
  sideEffects: NoneOnDryRun
  timeoutSeconds: 5
  matchConditions: [{name: skip-system, expression: "request.namespace != 'kube-system'"}]
  labelSelector: {matchLabels: {checked: "yes"}}
  namespace: {labelSelector: {matchLabels: {tenant: a}}}
kubernetesMutating: [{name: owner.example.com, rules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}]
`)
    expect(errors).toEqual([])
    expect(config.validating).toEqual([
      {
        name: 'quota.example.com',
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['pods'],
            scope: 'Namespaced',
          },
        ],
        failurePolicy: 'Ignore',
        sideEffects: 'NoneOnDryRun',
        timeoutSeconds: 5,
        matchConditions: [{ name: 'skip-system', expression: "request.namespace != 'kube-system'" }],
        objectSelector: { matchLabels: { checked: 'yes' } },
        namespaceSelector: { matchLabels: { tenant: 'a' } },
        includeSnapshotsFrom: [],
      },
    ])
    expect(config.mutating).toMatchObject([{ name: 'owner.example.com', timeoutSeconds: 10, sideEffects: 'None' }])
    expect(config.mutating[0]).not.toHaveProperty('failurePolicy')
  })

  it.each(['kubernetesValidating', 'kubernetesMutating'])(
    '[addons V6] %s: refuses short names, as the API server does, and unknown operations',
    (type) => {
      expect(
        errorsOf(
          `${type}: [{name: short, rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREAT], resources: [pods]}]}]`,
        ),
      ).toEqual([
        `${type}[0].name: "short" must have at least three parts separated by dots, like quota.example.com`,
        `${type}[0].rules[0].operations: "CREAT" is not one of CREATE, UPDATE, DELETE, CONNECT, * (did you mean CREATE?)`,
      ])
      expect(errorsOf(`${type}: [{name: a.b.c, rules: []}, {name: a.b.d}]`)).toEqual([
        `${type}[0].rules: must not be empty`,
        `${type}[1].rules: is required`,
      ])
    },
  )

  it('[addons V7] reads conversion bindings', () => {
    const { config, errors } = v1(
      'kubernetesCustomResourceConversion: [{name: up, crdName: x.example.com, conversions: [{fromVersion: v1alpha1, toVersion: example.com/v1}]}]',
    )
    expect(errors).toEqual([])
    expect(config.conversions).toEqual([
      {
        name: 'up',
        crdName: 'x.example.com',
        conversions: [{ fromVersion: 'v1alpha1', toVersion: 'example.com/v1' }],
        includeSnapshotsFrom: [],
      },
    ])
    expect(errorsOf('kubernetesCustomResourceConversion: [{name: up}]')).toEqual([
      'kubernetesCustomResourceConversion[0].conversions: is required',
      'kubernetesCustomResourceConversion[0].crdName: is required',
    ])
  })

  it('[addons V8] reports all invalid fields together, with value and suggestion', () => {
    expect(
      errorsOf(`
onStartup: first
schedul: [{crontab: "@daily"}]
schedule: []
kubernetes:
- kind: Pod
  jqFiltr: .
  executeHookOnEvent: [Add]
  labelSelector: {matchLabels: {up: true}, matchExpressions: [{key: a, operator: In}]}
  jqFilter: '.a | ('
  nameSelector: {matchNames: [x]}
  fieldSelector: {matchExpressions: [{field: metadata.name, operator: '=', value: x}, {field: a, operator: like}]}
- {}
`),
    ).toEqual([
      'onStartup: must be a whole number, not "first"',
      'schedule: must not be empty; leave it out instead',
      'kubernetes[0].labelSelector.matchLabels.up: must be a string, not true; put it in quotes',
      'kubernetes[0].labelSelector.matchExpressions[0].values: must not be empty with In',
      'kubernetes[0].fieldSelector.matchExpressions[1].operator: must be one of =, ==, Equals, !=, NotEquals, not "like"',
      'kubernetes[0].fieldSelector.matchExpressions[1].value: is required',
      'kubernetes[0].fieldSelector: metadata.name cannot be selected here and in nameSelector',
      expect.stringMatching(/^kubernetes\[0\]\.jqFilter: "\.a \| \(" is not a jq program: /),
      'kubernetes[0].executeHookOnEvent: "Add" is not one of Added, Modified, Deleted (did you mean Added?)',
      'kubernetes[0].jqFiltr: is not known (did you mean jqFilter?)',
      'kubernetes[1].kind: is required',
      'schedul: is not known (did you mean schedule?)',
    ])
  })

  it('[addons V8] compiles crontabs', () => {
    expect(errorsOf('schedule: [{crontab: "0 61 * * * *"}]')).toEqual([expect.stringContaining('61')])
  })

  it('[addons C6] refuses bindings of other kinds of hooks', () => {
    expect(errorsOf('beforeAll: 1')).toEqual(['beforeAll: belongs to global hooks, but this is a standalone hook'])
    expect(v1('beforeHelm: 1', 'module').config.orders).toEqual({ beforeHelm: 1 })
    expect(v1('beforeHelm: 1.5', 'module').errors).toEqual(['beforeHelm: must be a whole number, not 1.5'])
  })

  it('[addons Z14] warns that resynchronizationPeriod has no effect', () => {
    const { errors, warnings } = v1('kubernetes: [{kind: Pod, resynchronizationPeriod: 5m}]')
    expect([errors, warnings]).toEqual([
      [],
      ['kubernetes[0].resynchronizationPeriod: has no effect: watches do not miss events'],
    ])
  })

  it('[addons V9] refuses a configuration without bindings unless it is disabled', () => {
    expect(errorsOf('')).toEqual([expect.stringContaining('has no binding')])
    expect(v1('disabled: true').config.disabled).toBe(true)
    for (const text of ['', '\n', '{}', '---\n']) {
      expect(read(text)).toMatchObject({ config: { disabled: true }, errors: [] })
    }
  })

  it('[addons V9] takes settings without a binding for a hook that never runs', () => {
    const { config, errors } = v1('settings: {executionMinInterval: 3s}')
    expect([config.disabled, errors]).toEqual([true, []])
    expect(errorsOf('settings: {executionMinInterval: soon}')).toHaveLength(1)
  })

  it('[addons V2] takes empty names, groups and queues for absent ones', () => {
    const { config, errors } = v1(`
kubernetes: [{kind: Pod, name: "", group: "", queue: "", apiVersion: "", waitForSynchronization: false}, {name: other, kind: Pod, group: ""}]
schedule: [{crontab: "@daily", name: "", group: "", queue: ""}]
kubernetesCustomResourceConversion: [{name: "", group: "", crdName: x.y.z, conversions: [{fromVersion: v1, toVersion: v2}]}]
kubernetesValidating: [{name: a.b.c, group: "", rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}]
`)
    expect(errors).toEqual([])
    const [pods] = config.kubernetes
    expect(pods).toMatchObject({ name: 'kubernetes', queue: 'main', waitForSynchronization: true })
    expect(config.schedules).toMatchObject([{ name: 'schedule', queue: 'main' }])
    expect(config.conversions).toMatchObject([{ name: 'kubernetesCustomResourceConversion' }])
    for (const binding of [...config.kubernetes, ...config.schedules, ...config.conversions, ...config.validating]) {
      expect(binding.includeSnapshotsFrom).toEqual([])
      expect(binding).not.toHaveProperty('group')
      expect(binding).not.toHaveProperty('apiVersion')
    }
  })

  it('[addons V2] takes watchEvent beside executeHookOnEvent, which wins', () => {
    const { config, errors } = v1('kubernetes: [{kind: Pod, watchEvent: [Deleted], executeHookOnEvent: [Added]}]')
    expect([config.kubernetes[0]?.executeHookOnEvent, errors]).toEqual([['Added'], []])
    expect(errorsOf('kubernetes: [{kind: Pod, watchEvent: [Gone], executeHookOnEvent: [Added]}]')).toHaveLength(1)
  })

  it('[addons V2] takes empty expressions and names for no restriction', () => {
    const { config, errors } = v1(`
kubernetes:
- kind: Pod
  labelSelector: {matchLabels: {a: b}, matchExpressions: []}
  fieldSelector: {matchExpressions: [{field: metadata.name, operator: "=", value: x}]}
  nameSelector: {matchNames: []}
- {name: all, kind: Pod, labelSelector: {matchExpressions: []}, fieldSelector: {matchExpressions: []}}
`)
    expect(errors).toEqual([])
    const [pods, all] = config.kubernetes
    expect(pods).toMatchObject({ labelSelector: 'a=b', fieldSelector: 'metadata.name=x' })
    expect(pods).not.toHaveProperty('names')
    for (const field of ['labelSelector', 'fieldSelector', 'names']) expect(all).not.toHaveProperty(field)
  })

  it('refuses unknown versions', () => {
    expect(read('configVersion: v2').errors).toEqual(['configVersion: "v2" is not known; v1 is the newest'])
  })
})

it('[addons C5] explains why a text is not a configuration', () => {
  expect(read('Usage: hook [args]').errors).toEqual(['the --config output contains no binding'])
  expect(read('usage').errors).toEqual([
    'the --config output must be an object of bindings, not "usage"; print other output to standard error (>&2)',
  ])
  expect(read('[1]').errors).toEqual(['the --config output must be an object of bindings, not [1]'])
  expect(read('{"onStartup": 1').errors).toEqual([
    expect.stringContaining('the --config output is neither JSON nor YAML'),
  ])
})

it('[addons C4] takes the last of equal keys, with a warning', () => {
  const { config, errors, warnings } = v1('kubernetes: [{kind: Pod}]\nonStartup: 1\nkubernetes: [{kind: Node}]')
  expect([config.kubernetes.map(({ kind }) => kind), errors]).toEqual([['Node'], []])
  expect(warnings).toEqual(['line 4: duplicated mapping key; the last value counts'])
})

it('[addons C4] takes the first of several documents, with a warning', () => {
  const { config, errors, warnings } = v1('onStartup: 1\n---\nonStartup: 2\n---\n')
  expect([config.onStartup, errors]).toEqual([1, []])
  expect(warnings).toEqual(['expected a single document in the stream, but found more; the first one counts'])
})

it('[addons C4] reads a filter whose closing quote stands in the column of its key', () => {
  const { config, errors } = v1('kubernetes:\n- kind: Pod\n  jqFilter: "{\n    \\"name\\": .metadata.name,\n  }\n  "\n')
  expect(errors).toEqual([])
  expect(config.kubernetes[0]?.jqFilter?.first({ metadata: { name: 'a' } })).toEqual({ name: 'a' })
})

it('reports an unknown event only as unknown, not also as empty', () => {
  const { errors, warnings } = read('{"onKubernetesEvent":[{"kind":"pod","event":["added"]}]}')
  expect(errors).toEqual(['onKubernetesEvent[0].event: "added" is not one of add, update, delete (did you mean add?)'])
  expect(warnings).toEqual([])
})

it('suggests the only known word that begins with the given one', () => {
  const unknown = (field: string) => errorsOf(`schedule: [{crontab: "@daily", ${field}: x}]`)
  expect(unknown('cron')).toEqual(['schedule[0].cron: is not known (did you mean crontab?)'])
  expect(unknown('cr')).toEqual([expect.stringContaining('known are')])
})

it('lists each known binding name once', () => {
  expect(errorsOf('kubernetes: [{kind: Pod}, {kind: Node, includeSnapshotsFrom: [x]}]')).toEqual([
    'kubernetes[1].includeSnapshotsFrom: no kubernetes binding is called "x" (known are kubernetes)',
  ])
})

it('does not suggest dissimilar words', () => {
  const selector = '{matchExpressions: [{field: a, operator: In, value: b}]}'
  const { errors } = read(`{configVersion: v1, kubernetes: [{kind: Pod, fieldSelector: ${selector}}]}`)
  expect(errors).toEqual([expect.stringMatching(/not "In"$/)])
})
