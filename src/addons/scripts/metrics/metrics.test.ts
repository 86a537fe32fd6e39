import { describe, expect, it } from 'vitest'
import { readMetrics } from './read.ts'
import { HookMetrics } from './registry.ts'

function apply(metrics: HookMetrics, text: string, hook = 'a.sh'): readonly string[] {
  const { operations, errors } = readMetrics(text)
  return [...errors, ...metrics.apply(operations, { hook })]
}

/** Series without comments, in order. */
const series = (metrics: HookMetrics): string[] =>
  metrics
    .render()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

describe('hook metrics', () => {
  it('[addons G1] count, set and observe, with the hook as a label', () => {
    const metrics = new HookMetrics()
    const report = `
{"name":"shop_orders","action":"set","value":3,"labels":{"state":"new"}}
{"name":"shop_errors_total","action":"add","value":1.5}
{"name":"shop_latency_seconds","action":"observe","value":0.4,"buckets":[0.1,1,10]}
`
    expect(apply(metrics, report)).toEqual([])
    expect(apply(metrics, report)).toEqual([])
    expect(metrics.render()).toBe(`# HELP shop_orders shop_orders
# TYPE shop_orders gauge
shop_orders{hook="a.sh",state="new"} 3

# HELP shop_errors_total shop_errors_total
# TYPE shop_errors_total counter
shop_errors_total{hook="a.sh"} 3

# HELP shop_latency_seconds shop_latency_seconds
# TYPE shop_latency_seconds histogram
shop_latency_seconds_bucket{hook="a.sh",le="0.1"} 0
shop_latency_seconds_bucket{hook="a.sh",le="1"} 2
shop_latency_seconds_bucket{hook="a.sh",le="10"} 2
shop_latency_seconds_bucket{hook="a.sh",le="+Inf"} 2
shop_latency_seconds_sum{hook="a.sh"} 0.8
shop_latency_seconds_count{hook="a.sh"} 2
`)
  })

  it('[addons G2] have short forms', () => {
    const metrics = new HookMetrics()
    expect(apply(metrics, '{"name":"a","add":2}{"name":"b","set":5}\n{"name":"a","add":1}')).toEqual([])
    expect(series(metrics)).toEqual(['a{hook="a.sh"} 3', 'b{hook="a.sh"} 5'])
  })

  it('[addons G3] are kept without a group', () => {
    const metrics = new HookMetrics()
    apply(metrics, '{"name":"a","set":1,"labels":{"x":"1"}}{"name":"n","add":1}')
    apply(metrics, '{"name":"a","set":2,"labels":{"x":"2"}}{"name":"n","add":1}')
    expect(series(metrics)).toEqual(['a{hook="a.sh",x="1"} 1', 'a{hook="a.sh",x="2"} 2', 'n{hook="a.sh"} 2'])
  })

  it('[addons G4] of a group are replaced by every run that reports the group', () => {
    const metrics = new HookMetrics()
    const node = (name: string) =>
      `{"group":"nodes","name":"ready","action":"set","value":1,"labels":{"node":"${name}"}}`
    apply(metrics, `${node('n1')}\n${node('n2')}\n{"group":"other","name":"ready","set":1}`)
    apply(metrics, '{"name":"else","set":1}')
    expect(series(metrics)).toHaveLength(4)
    apply(metrics, node('n3'))
    expect(series(metrics).filter((line) => line.includes('node="n'))).toEqual(['ready{hook="a.sh",node="n3"} 1'])
    apply(metrics, '{"group":"nodes","action":"expire"}')
    expect(series(metrics)).toEqual(['ready{hook="a.sh"} 1', 'else{hook="a.sh"} 1'])
    apply(
      metrics,
      '{"group":"other","action":"expire"}\n{"group":"other","name":"sum","add":0.5}\n{"group":"other","name":"sum","add":0.25}',
    )
    expect(series(metrics)).toEqual(['else{hook="a.sh"} 1', 'sum{hook="a.sh"} 0.75'])
  })

  it('[addons G5] of one name may have different labels; missing labels are empty', () => {
    const metrics = new HookMetrics()
    apply(metrics, '{"name":"a","set":1,"labels":{"x":"1"}}{"name":"a","set":2,"labels":{"y":"\\"q\\"\\n"}}')
    expect(series(metrics)).toEqual(['a{hook="a.sh",x="1",y=""} 1', 'a{hook="a.sh",x="",y="\\"q\\"\\n"} 2'])
  })

  it('[addons G5] may have null for an empty label, no labels and an empty group', () => {
    const metrics = new HookMetrics()
    const text = '{"group":"","name":"a","set":1,"labels":{"x":null,"y":"1"}}{"name":"b","add":1,"labels":null}'
    expect([apply(metrics, text), apply(metrics, text)]).toEqual([[], []])
    expect(series(metrics)).toEqual(['a{hook="a.sh",x="",y="1"} 1', 'b{hook="a.sh"} 2'])
    expect(apply(metrics, '{"group":"","action":"expire"}')).toHaveLength(1)
  })

  it('[addons G6] with errors are refused, and each error names its line', () => {
    const wrong = [
      '{"name":"a"}',
      '{"name":"1a","set":1}',
      '{"name":"a","action":"set"}',
      '{"name":"a","action":"put","value":1}',
      '{"name":"a","add":-1}',
      '{"name":"a","set":"1"}',
      '{"name":"a","set":1,"labels":{"x":1}}',
      '{"name":"a","set":1,"labels":{"x-y":"1"}}',
      '{"group":"g","name":"a","action":"observe","value":1}',
      '{"name":"a","action":"observe","value":1,"buckets":[2,1]}',
      '{"action":"expire"}',
      '5',
    ]
    const { errors } = readMetrics(wrong.join('\n'))
    expect(errors).toEqual([
      'METRICS_PATH[0].action: is required: add, set, observe or expire',
      'METRICS_PATH[0].value: is required',
      'METRICS_PATH[1].name: "1a" is not a valid metric name',
      'METRICS_PATH[2].value: is required',
      'METRICS_PATH[3].action: must be one of add, set, observe, expire, not "put"',
      'METRICS_PATH[4].add: a counter cannot decrease by -1',
      'METRICS_PATH[5].set: must be a number, not "1"',
      'METRICS_PATH[6].labels.x: must be a string, not 1; put it in quotes',
      'METRICS_PATH[7].labels: "x-y" is not a valid label name',
      'METRICS_PATH[8].group: cannot be used with observe',
      'METRICS_PATH[9].buckets: must be ascending numbers, not [2,1]',
      'METRICS_PATH[10].group: is required with expire',
      'METRICS_PATH[11]: must be an object, not 5',
    ])
  })

  it('[addons G6] cannot change their type', () => {
    const metrics = new HookMetrics()
    apply(metrics, '{"name":"a","set":1}')
    expect(apply(metrics, '{"name":"a","add":1}{"name":"b","add":1}')).toEqual([
      'metric a is already a gauge and cannot be used with "add"',
    ])
    expect(apply(metrics, '{"name":"c","add":1}{"name":"c","set":1}')).toHaveLength(1)
    // No metric of such a run is applied, because the run is retried.
    expect(series(metrics)).toEqual(['a{hook="a.sh"} 1'])
    expect(apply(metrics, '{"name":"g","set":1,"group":"x"}')).toEqual([])
    expect(apply(metrics, '{"name":"g","add":2,"group":"x"}')).toEqual([])
    expect(series(metrics)).toEqual(['a{hook="a.sh"} 1', 'g{hook="a.sh"} 2'])
  })

  it('[addons G6] with invalid JSON are refused with the line', () => {
    const { errors } = readMetrics('{"name":"a","set":1}\nhello\n')
    expect(errors).toEqual(['METRICS_PATH: must contain JSON objects: line 2: "hello": Invalid numeric literal'])
    expect(readMetrics('{"name":"a","se').errors).toEqual([
      expect.stringContaining('line 1: "{\\"name\\":\\"a\\",\\"se": Unfinished'),
    ])
  })
})
