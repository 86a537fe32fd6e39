/**
 * Routes of the debug socket: queues, hooks, snapshots and settings, as text, JSON or YAML by the extension of the path. Only settings can
 * be changed.
 */
import type { RunRecord } from '../../../hooks/index.ts'
import { toYaml } from '../../../kube/manifest/index.ts'
import type { HttpHandler, HttpRequest, HttpResponse, Json } from '../../../runtime/index.ts'
import { findHookName } from '../hook-names.ts'
import { listQueues, queuesAsText, type ShownQueue } from '../queues/listing.ts'
import { mainQueue } from '../queues/queues.ts'
import { hooksAsText, type ShownHook } from './hooks.ts'
import type { ChangeableSettings } from './settings.ts'

export interface DebugView {
  queues(): readonly ShownQueue[]
  hooks(): readonly ShownHook[]
  /** By name of the binding; undefined when the hook does not exist. */
  snapshots(hook: string): Json | undefined
  /** The latest runs of every surface of this process. */
  runs(): readonly RunRecord[]
  readonly settings: ChangeableSettings
}

type Format = 'text' | 'json' | 'yaml'

interface Shown {
  readonly value: unknown
  readonly text: string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const snapshotsOf = /^\/hook\/(.+)\/snapshots$/

/** Quoted in the answer to an unknown request. */
const known =
  'GET /queue/main.{text|json|yaml}, /queue/list.{…}[?showEmpty=true], /hook/list.{…}, /hook/NAME/snapshots.{…}, /run/list.{…}, /config/list.{…}; POST /config/set with name, value and duration'

/** Additional routes; undefined for other requests. */
export type ExtraRoutes = (request: HttpRequest) => HttpResponse | undefined

/** `more` handles requests that are unknown here. */
export function debugRoutes(view: DebugView, more: ExtraRoutes = () => undefined): HttpHandler {
  return async (request) => {
    const [target = '', query] = request.target.split('?')
    const requested = decoded(target)
    if (requested === undefined) return answer(400, `invalid path ${target}: write % as %25\n`)
    if (request.method === 'POST' && requested === '/config/set') return set(view.settings, request)
    const [, path = '', format] = /^(.*)\.(text|json|yaml)$/.exec(requested) ?? []
    const shown = request.method === 'GET' ? show(view, path, new URLSearchParams(query)) : undefined
    if (shown === undefined) return more(request) ?? answer(404, notFound(view, request.method, requested))
    return answer(200, written(shown, format as Format), contentTypes[format as Format])
  }
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

function notFound(view: DebugView, method: string, path: string): string {
  const names = namesIn(view)
  const hook = snapshotsOf.exec(path.replace(/\.(text|json|yaml)$/, ''))?.[1]
  // The hook exists, so the extension or the method is wrong.
  if (hook === undefined || findHookName(names, hook) !== undefined)
    return `there is no ${method} ${path}; there is ${known}\n`
  return `there is no hook ${hook}; there are ${names.join(', ') || 'none'}\n`
}

function namesIn(view: DebugView): readonly string[] {
  return view.hooks().map(({ name }) => name)
}

function show(view: DebugView, path: string, query: URLSearchParams): Shown | undefined {
  const given = snapshotsOf.exec(path)?.[1]
  if (given !== undefined) {
    const hook = findHookName(namesIn(view), given)
    const value = hook === undefined ? undefined : view.snapshots(hook)
    return value === undefined ? undefined : { value, text: toYaml(value as object) }
  }
  switch (path) {
    case '/queue/main': {
      const main = view.queues().filter(({ name }) => name === mainQueue)
      const { active, empty } = listQueues(main)
      // Not "all queues are empty": the other queues may have tasks.
      const text = active.length === 0 ? `Queue "${mainQueue}": empty\n` : queuesAsText(main)
      return { value: [...active, ...empty][0] ?? null, text }
    }
    case '/queue/list': {
      const { empty, ...listing } = listQueues(view.queues())
      const isAll = query.get('showEmpty') === 'true'
      const also = isAll ? empty.map(({ name }) => `Queue "${name}": empty\n`).join('') : ''
      return { value: { ...listing, empty: isAll ? empty : [] }, text: `${queuesAsText(view.queues())}${also}` }
    }
    case '/hook/list':
      return { value: view.hooks(), text: hooksAsText(view.hooks()) }
    case '/run/list': {
      const runs = view.runs()
      return { value: { runs }, text: runs.map((run) => `${run.outcome} ${run.key}\n`).join('') }
    }
    case '/config/list': {
      const settings = view.settings.list()
      const line = ({ name, value, until }: (typeof settings)[number]) =>
        `${name} ${value}${until === undefined ? '' : ` until ${until}`}\n`
      return { value: settings, text: settings.map(line).join('') }
    }
    default:
      return undefined
  }
}

function set(settings: ChangeableSettings, { body = new Uint8Array() }: HttpRequest): HttpResponse {
  const form = new URLSearchParams(decoder.decode(body))
  const field = (name: string) => form.get(name) ?? ''
  const problem = settings.set(field('name'), field('value'), field('duration'))
  return problem === undefined ? answer(200, 'set\n') : answer(400, `${problem}\n`)
}

function written({ value, text }: Shown, format: Format): string {
  if (format === 'text') return text
  return format === 'json' ? `${JSON.stringify(value)}\n` : toYaml(value as object)
}

const contentTypes: Readonly<Record<Format, string>> = {
  text: 'text/plain; charset=utf-8',
  json: 'application/json',
  yaml: 'application/yaml',
}

function answer(status: number, body: string, type = contentTypes.text): HttpResponse {
  return { status, headers: { 'content-type': type }, body: encoder.encode(body) }
}
