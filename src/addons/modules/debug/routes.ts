/**
 * Routes of the debug socket about modules: the list of modules, and the values, configuration and patches of each and of global, as text,
 * JSON or YAML by the extension of the path.
 */
import { toYaml } from '../../../kube/manifest/index.ts'
import type { HttpResponse } from '../../../runtime/index.ts'
import type { ExtraRoutes } from '../../scripts/debug/routes.ts'
import type { Module } from '../discovery/module.ts'
import type { Decision } from '../enabled/decide.ts'
import { globalKey } from '../values/keys.ts'
import type { Values } from '../values/values.ts'

export interface ModulesView {
  readonly modules: readonly Module[]
  readonly values: Pick<Values, 'effective' | 'config' | 'patches'>
  /** Empty before the first decision. */
  decisions(): readonly Decision[]
}

const encoder = new TextEncoder()

const contentTypes = { text: 'text/plain; charset=utf-8', json: 'application/json', yaml: 'application/yaml' } as const

type Format = keyof typeof contentTypes

/** Undefined for other paths. */
export function moduleRoutes(view: ModulesView): ExtraRoutes {
  return ({ method, target }) => {
    const { pathname } = new URL(target, 'http://socket')
    const [, path = '', format] = /^(.*)\.(text|json|yaml)$/.exec(decodeURIComponent(pathname)) ?? []
    if (method !== 'GET' || format === undefined) return undefined
    if (path === '/module/list') return answer(list(view), format as Format)
    const [, name, kind = ''] = /^\/(?:global|module\/([^/]+))\/(values|config|patches)$/.exec(path) ?? []
    if (kind === '') return undefined
    const module = view.modules.find((one) => one.name === name)
    if (name !== undefined && module === undefined) return unknown(view, name)
    const key = module?.key ?? globalKey
    const value = shownValue(view, kind, key)
    return answer({ value, text: toYaml(value) }, format as Format)
  }
}

function shownValue({ values }: ModulesView, kind: string, key: string): object {
  if (kind === 'patches') return values.patches(key)
  return kind === 'values' ? values.effective(key) : values.config(key)
}

interface Shown {
  readonly value: object
  readonly text: string
}

function list({ modules, decisions }: ModulesView): Shown {
  const decided = new Map(decisions().map((decision) => [decision.module.name, decision]))
  const value = modules.map(({ name, order }) => {
    const decision = decided.get(name)
    return { name, order, ...(decision === undefined ? {} : { enabled: decision.enabled, by: decision.by }) }
  })
  const lines = value.map(({ name, enabled, by }) => {
    const state = enabled === undefined ? 'not decided yet' : `${enabled ? 'on' : 'off'} by ${by}`
    return `${name} ${state}\n`
  })
  return { value, text: lines.length === 0 ? 'There are no modules.\n' : lines.join('') }
}

function unknown({ modules }: ModulesView, name: string): HttpResponse {
  const names = modules.map((module) => module.name).join(', ') || 'none'
  const body = encoder.encode(`there is no module ${name}; there are ${names}\n`)
  return { status: 404, headers: { 'content-type': contentTypes.text }, body }
}

function answer({ value, text }: Shown, format: Format): HttpResponse {
  const body = format === 'text' ? text : format === 'json' ? `${JSON.stringify(value)}\n` : toYaml(value)
  return { status: 200, headers: { 'content-type': contentTypes[format] }, body: encoder.encode(body) }
}
