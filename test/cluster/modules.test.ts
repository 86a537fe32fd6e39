/** Modules from folder to release and back, as a user runs them: real bash, real helm, the built operator. */
import { afterEach, describe, expect, it } from 'vitest'
import { canRun, chart, hook, type ModuleOperator, type ModulePlace, modulePlace } from './modules.ts'
import { onCluster } from './suite.ts'

const limit = 300_000

onCluster('modules', (cluster) => {
  describe.skipIf(!canRun)('with helm', () => {
    const running: ModuleOperator[] = []
    afterEach(async () => {
      for (const operator of running.splice(0)) await operator.stop()
    })

    const start: (place: ModulePlace, ...rest: Parameters<ModulePlace['start']>) => Promise<ModuleOperator> = async (
      place,
      ...rest
    ) => {
      const operator = await place.start(...rest)
      running.push(operator)
      return operator
    }

    it(
      '[addons D7, B2, B3] run by number, hooks around each release, and again when values change',
      async () => {
        const place = await modulePlace(cluster)
        const release =
          'tell "$name $binding $($KUBECTL get configmap web -o jsonpath={.data.port} --ignore-not-found)"'
        const operator = await start(place, {
          'global-hooks/all.sh': hook({ beforeAll: 1, afterAll: 1 }),
          'modules/values.yaml': 'web: {port: 80}\n',
          'modules/100-last/hooks/a.sh': hook({ onStartup: 1, afterHelm: 1 }),
          'modules/020-web/templates/all.yaml': chart('{port: "{{ .Values.web.port }}", ip: "{{ .Values.web.ip }}"}'),
          'modules/020-web/hooks/a.sh': hook({ onStartup: 1, beforeHelm: 2, afterHelm: 1 }, release),
          'modules/020-web/hooks/ip.sh': hook(
            { beforeHelm: 1 },
            `echo '[{"op":"add","path":"/web/ip","value":"10.0.0.1"}]' > $VALUES_JSON_PATCH_PATH; tell "$name $binding"`,
          ),
        })
        const all = 'global-hooks/all.sh'
        const web = (port: number, before = '') => [
          'modules/020-web/hooks/ip.sh beforeHelm',
          `modules/020-web/hooks/a.sh beforeHelm ${before}`,
          `modules/020-web/hooks/a.sh afterHelm ${port}`,
        ]
        const last = 'modules/100-last/hooks/a.sh afterHelm'
        const first = [
          `${all} beforeAll`,
          'modules/020-web/hooks/a.sh onStartup ',
          ...web(80),
          'modules/100-last/hooks/a.sh onStartup',
          last,
          `${all} afterAll`,
        ]
        await operator.until('all have run', () => operator.records().length >= first.length, 60)
        expect(operator.records()).toEqual(first)
        expect(await place.made('web')).toEqual({ port: '80', ip: '10.0.0.1' })
        expect(await place.releases()).toEqual(['web deployed'])

        await place.configure({ web: 'port: 81' })
        const second = [...first, ...web(81, '80')]
        await operator.until('the module has run again', () => operator.records().length >= second.length, 60)
        expect(operator.records()).toEqual(second)
        expect(await place.made('web')).toEqual({ port: '81', ip: '10.0.0.1' })

        await place.configure({ global: 'project: shop' })
        const third = [...second, `${all} beforeAll`, ...web(81, '81'), last, `${all} afterAll`]
        await operator.until('all have run again', () => operator.records().length >= third.length, 60)
        expect(operator.records()).toEqual(third)
      },
      limit,
    )

    it(
      '[addons B4, Z2] are deleted when disabled and start from the beginning when enabled',
      async () => {
        const place = await modulePlace(cluster)
        const gone = (name: string) =>
          `tell "${name} $binding [$($KUBECTL get configmap ${name} -o name --ignore-not-found)]"`
        const operator = await start(place, {
          'modules/001-one/templates/all.yaml': chart('{a: "1"}'),
          'modules/001-one/hooks/h.sh': hook({ onStartup: 1, afterHelm: 1, afterDeleteHelm: 1 }, gone('one')),
          'modules/002-two/templates/all.yaml': chart('{a: "1"}'),
          'modules/002-two/hooks/h.sh': hook({ afterHelm: 1, afterDeleteHelm: 1 }, gone('two')),
          'modules/003-three/templates/all.yaml': chart('{a: "1"}'),
          'modules/003-three/enabled': `#!/usr/bin/env bash
grep -q '"closed"' $CONFIG_VALUES_PATH && echo false > $MODULE_ENABLED_RESULT || echo true > $MODULE_ENABLED_RESULT
`,
          'modules/003-three/hooks/h.sh': hook({ afterHelm: 1, afterDeleteHelm: 1 }, gone('three')),
        })
        const there = (name: string) => `${name} afterHelm [configmap/${name}]`
        const deleted = (name: string) => `${name} afterDeleteHelm []`
        const began = ['one onStartup []', there('one'), there('two'), there('three')]
        await operator.until('all are there', () => operator.records().length >= began.length, 60)
        expect(operator.records()).toEqual(began)

        const wasRecorded = (line: string, from: number) => () => operator.records().slice(from).includes(line)
        await place.configure({ one: 'false' })
        await operator.until('one is gone', wasRecorded(deleted('one'), began.length), 60)
        await place.configure({ twoEnabled: 'false' })
        await operator.until('two is gone', wasRecorded(deleted('two'), began.length), 60)
        await place.configure({ global: 'state: closed' })
        await operator.until('three is gone', wasRecorded(deleted('three'), began.length), 60)
        await cluster.untilList(`/api/v1/namespaces/${place.namespace}/secrets`, (items) =>
          items.every(({ metadata }) => metadata.labels?.['owner'] !== 'helm'),
        )
        expect(await place.releases()).toEqual([])

        const before = operator.records().length
        await place.configure({ one: null })
        await operator.until('one is there again', wasRecorded(there('one'), before), 60)
        expect(operator.records().slice(before)).toEqual(['one onStartup []', there('one')])
        expect(await place.releases()).toEqual(['one deployed'])
      },
      limit,
    )

    it(
      '[addons B4, Z4] without folder lose their release without hooks; ignored and foreign releases are kept',
      async () => {
        const place = await modulePlace(cluster)
        const files = {
          'modules/001-stays/templates/all.yaml': chart('{a: "1"}'),
          'modules/001-stays/hooks/h.sh': hook({ afterHelm: 1 }),
          'modules/002-goes/templates/all.yaml': chart('{a: "1"}'),
          'modules/002-goes/hooks/h.sh': hook({ afterHelm: 1, afterDeleteHelm: 1 }),
          'modules/003-operator/templates/all.yaml': chart('{a: "1"}'),
          'global-hooks/end.sh': hook({ afterAll: 1 }),
        }
        const first = await start(place, files)
        await cluster.untilList(
          `/api/v1/namespaces/${place.namespace}/secrets`,
          (items) => items.filter(({ metadata }) => metadata.labels?.['status'] === 'deployed').length === 3,
          60,
        )
        // A release exists before helm has ended.
        await first.until('the end', () => first.records().includes('global-hooks/end.sh afterAll'))
        await running.pop()?.stop()
        expect(first.outputLines.join('\n')).not.toMatch(/ error /i)
        const foreign = await start(
          place,
          Object.fromEntries(Object.entries(files).filter(([name]) => name.includes('001-stays'))),
          { HELM_IGNORE_RELEASE: 'operator' },
        )
        await cluster.untilList(
          `/api/v1/namespaces/${place.namespace}/secrets`,
          (items) => items.every(({ metadata }) => metadata.labels?.['name'] !== 'goes'),
          60,
        )
        expect(await place.releases()).toEqual(['operator deployed', 'stays deployed'])
        expect(await place.made('goes')).toBeUndefined()
        expect(await place.made('operator')).toEqual({ a: '1' })
        await foreign.until('the module that stays', () => foreign.records().length > 0)
        expect(foreign.records()).toEqual(['modules/001-stays/hooks/h.sh afterHelm'])
      },
      limit,
    )

    it(
      '[addons Q6, Q7] run again completely after a failure, including a refused patch; writes of hooks to the ConfigMap trigger no run',
      async () => {
        const place = await modulePlace(cluster)
        await place.configure({ web: 'list: [a]' })
        const once = (first: string) => `if mkdir "$OUT/$(basename $0)" 2>/dev/null; then ${first}; fi`
        const refused = `echo '[{"op":"add","path":"/other/x","value":1}]' > $VALUES_JSON_PATCH_PATH`
        const written = `echo '{"op":"add","path":"/web/list/-","value":"b"}' > $CONFIG_VALUES_JSON_PATCH_PATH`
        const operator = await start(place, {
          'modules/001-web/templates/all.yaml': chart('{list: {{ .Values.web.list | toJson | quote }}}'),
          'modules/001-web/hooks/a.sh': hook({ beforeHelm: 1 }, `tell before; ${once(refused)}`),
          'modules/001-web/hooks/b.sh': hook({ beforeHelm: 2 }, `tell write; ${once(written)}`),
          'modules/001-web/hooks/c.sh': hook({ afterHelm: 1 }, `tell after; ${once('exit 1')}`),
        })
        const runs = ['before', 'before', 'write', 'after', 'before', 'write', 'after']
        await operator.until('the module has run', () => operator.records().length >= runs.length, 60)
        expect(operator.records()).toEqual(runs)
        const log = operator.outputLines.join('\n')
        expect(log).toMatch(/VALUES_JSON_PATCH_PATH: operation 0 .*\/other\/x.*this hook may only change \/web/)
        expect(await place.made('addon-operator')).toEqual({ web: 'list:\n- a\n- b\n' })
        expect(await place.made('web')).toEqual({ list: '["a","b"]' })

        await place.configure({ web: 'list: [c]' })
        const all = [...runs, 'before', 'write', 'after']
        await operator.until('the module has run again', () => operator.records().length >= all.length, 60)
        expect(operator.records()).toEqual(all)
        expect(await place.made('web')).toEqual({ list: '["c"]' })
      },
      limit,
    )

    it(
      'without helm run if they need none, and report which ones are not released',
      async () => {
        const place = await modulePlace(cluster)
        const files = {
          'modules/001-web/templates/all.yaml': chart('{a: "1"}'),
          'modules/001-web/hooks/h.sh': hook({ beforeHelm: 1, afterHelm: 1 }),
          'modules/002-plain/hooks/h.sh': hook({ afterHelm: 1 }),
        }
        const operator = await start(place, files, { HELM_BIN: '/nowhere/helm' })
        const without = ['modules/001-web/hooks/h.sh beforeHelm', 'modules/002-plain/hooks/h.sh afterHelm']
        await operator.until('the plain module has run', () => operator.records().length >= without.length, 60)
        expect(operator.records()).toEqual(without)
        const pattern = /module web needs the program helm: .*\/nowhere\/helm/
        await operator.until('what is missing', () => pattern.test(operator.outputLines.join('\n')))
        expect(await operator.get('/metrics')).toMatch(/module_run_errors\{module="web"\} 1/)
      },
      limit,
    )
  })
})
