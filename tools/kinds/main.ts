/**
 * Writes the type model of the sandbox's API server from a real one's `/openapi/v3`, discovery and table answers:
 *   npx tsx tools/kinds/main.ts --server https://127.0.0.1:6443 --token TOKEN [--save FOLDER]
 *   npx tsx tools/kinds/main.ts --folder FOLDER
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type CompactDefinition, compact, type Definitions, mentions, shortName } from './compact.ts'
import { type DocumentSource, liveDocuments, savedDocuments } from './source.ts'

const target = new URL('../../src/sandbox/apiserver/types/kinds.generated.ts', import.meta.url)

/** What the sandbox serves; an empty list means every resource of the group version. */
const served: Record<string, string[]> = {
  v1: [],
  'admissionregistration.k8s.io/v1': ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
  'apiextensions.k8s.io/v1': [],
  'apps/v1': [],
  'authentication.k8s.io/v1': [],
  'authorization.k8s.io/v1': [],
  'autoscaling/v1': [],
  'autoscaling/v2': [],
  'batch/v1': [],
  'coordination.k8s.io/v1': [],
  'discovery.k8s.io/v1': [],
  'events.k8s.io/v1': [],
  'networking.k8s.io/v1': ['ingresses', 'ingressclasses', 'networkpolicies'],
  'node.k8s.io/v1': [],
  'policy/v1': [],
  'rbac.authorization.k8s.io/v1': [],
  'scheduling.k8s.io/v1': [],
  'storage.k8s.io/v1': ['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments'],
}
const unserved = new Set(['componentstatuses'])

interface DiscoveredResource {
  resource: string
  responseKind: { group: string; version: string; kind: string }
  scope: string
  singularResource: string
  verbs: string[]
  shortNames?: string[]
  categories?: string[]
  subresources?: { subresource: string; responseKind: DiscoveredResource['responseKind']; verbs: string[] }[]
}

interface Discovery {
  items: { metadata: { name?: string }; versions: { version: string; resources: DiscoveredResource[] }[] }[]
}

interface Table {
  columnDefinitions: { name: string; type: string; format: string; priority: number }[]
}

function kindName(kind: DiscoveredResource['responseKind'], group: string, version: string): string {
  const isOwn = kind.version === '' || (kind.group === group && kind.version === version)
  return isOwn ? kind.kind : `${kind.group}/${kind.version}/${kind.kind}`
}

async function describeResource(source: DocumentSource, group: string, version: string, found: DiscoveredResource) {
  const path = group === '' ? `/api/${version}/${found.resource}` : `/apis/${group}/${version}/${found.resource}`
  const columns = found.verbs.includes('list')
    ? ((await source.read(path, 'application/json;as=Table;g=meta.k8s.io;v=v1')) as Table).columnDefinitions.map(
        ({ name, type, format, priority }) => [name, type, format, priority],
      )
    : undefined
  return {
    group,
    version,
    resource: found.resource,
    singular: found.singularResource,
    kind: found.responseKind.kind,
    namespaced: found.scope === 'Namespaced',
    verbs: found.verbs.join(' '),
    ...(found.shortNames && { shortNames: found.shortNames }),
    ...(found.categories && { categories: found.categories }),
    ...(found.subresources && {
      subresources: Object.fromEntries(
        found.subresources.map((sub) => [
          sub.subresource,
          [kindName(sub.responseKind, group, version), sub.verbs.join(' ')],
        ]),
      ),
    }),
    ...(columns && { columns }),
  }
}

async function generate(source: DocumentSource): Promise<string> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const groups = [
    ...((await source.read('/api', accept)) as Discovery).items,
    ...((await source.read('/apis', accept)) as Discovery).items,
  ]
  const { gitVersion } = (await source.read('/version')) as { gitVersion: string }
  const resources: object[] = []
  const all: Definitions = {}
  const wanted = new Set<string>()
  const kinds: Record<string, string> = {}
  for (const [groupVersion, names] of Object.entries(served)) {
    const [group, version] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion]
    if (group === undefined || version === undefined) continue
    const discovered = groups
      .find((item) => (item.metadata.name ?? '') === group)
      ?.versions.find((item) => item.version === version)
    const document = (await source.read(
      `/openapi/v3/${group === '' ? `api/${version}` : `apis/${group}/${version}`}`,
    )) as { components: { schemas: Definitions } }
    Object.assign(all, document.components.schemas)
    const chosen = (discovered?.resources ?? []).filter(
      ({ resource }) => !unserved.has(resource) && (names.length === 0 || names.includes(resource)),
    )
    for (const found of chosen) {
      resources.push(await describeResource(source, group, version, found))
    }
    const kindNames = new Set(
      chosen.flatMap((found) => [
        found.responseKind.kind,
        ...(found.subresources ?? []).map((sub) => sub.responseKind.kind),
      ]),
    )
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const found = (schema['x-kubernetes-group-version-kind'] ?? []) as {
        group: string
        version: string
        kind: string
      }[]
      for (const kind of found) {
        if (!kindNames.has(kind.kind.replace(/List$/, '')) || found.length > 1) continue
        kinds[`${kind.group}/${kind.version}/${kind.kind}`] = shortName(name)
        wanted.add(name)
      }
    }
  }
  for (const extra of ['DeleteOptions', 'Status', 'APIResourceList', 'WatchEvent']) {
    wanted.add(`io.k8s.apimachinery.pkg.apis.meta.v1.${extra}`)
  }
  const definitions: Record<string, CompactDefinition> = {}
  for (const name of wanted) {
    const schema = all[name]
    if (schema === undefined) throw new Error(`no definition of ${name}`)
    definitions[shortName(name)] = compact(schema)
    for (const mention of mentions(schema)) wanted.add(mention)
  }
  const lines = (record: Record<string, unknown>): string =>
    Object.entries(record)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
      .join(',\n')
  return [
    `{"version":${JSON.stringify(gitVersion)},`,
    `"resources":[\n${resources.map((resource) => JSON.stringify(resource)).join(',\n')}\n],`,
    `"kinds":{\n${lines(kinds)}\n},`,
    `"definitions":{\n${lines(definitions)}\n}}`,
  ].join('\n')
}

const { values } = parseArgs({
  options: {
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    save: { type: 'string' },
    folder: { type: 'string' },
  },
})
const source =
  values.folder !== undefined
    ? savedDocuments(values.folder)
    : liveDocuments(values.server ?? 'https://127.0.0.1:6443', values.token, values.save)
const text = await generate(source)
await writeFile(
  target,
  [
    '/**',
    ' * The type model of the built-in kinds, as JSON text that is parsed when first needed. Written by `tools/kinds` from a real API',
    ' * server; never edit it by hand. `notation.ts` says how to read the fields.',
    ' */',
    `export const kindsText = \`${text.replace(/[`\\$]/g, '\\$&')}\``,
    '',
  ].join('\n'),
)
console.log(`${target.pathname}: ${text.length} characters`)
