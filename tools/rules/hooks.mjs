/**
 * Hooks are run by src/hooks and by nothing else: rollouts, addons and deployers neither build or create Jobs and pods nor send HTTP on their
 * own. What the list allows says where they do.
 */
import { readFileSync } from 'node:fs'
import { filesIn } from '../source/files.mjs'
import { lineFinder, parse, walk } from '../source/syntax.mjs'

const surfaces = ['src/rollouts', 'src/addons', 'src/deployers']
/** The pod of the container deployer is what the deploy item installs, and no hook. */
const noHooks = 'src/deployers/stock/container/'

export function findings() {
  return filesIn(surfaces, /\.ts$/)
    .filter((path) => !/\.test\.ts$|\/testing\//.test(path) && !path.startsWith(noHooks))
    .flatMap((path) => findInProgram(path, readFileSync(path, 'utf8')))
}

export function findInProgram(path, text) {
  if (!/\bhttp\b|'(?:Job|Pod)'|\bresources\.(?:jobs|pods)\b/.test(text)) return []
  const lineOf = lineFinder(text)
  const found = []
  const add = (what, node) =>
    found.push({ key: `${path} ${what}`, line: `${path}:${lineOf(node.start)}: ${what}, which is for src/hooks` })
  walk(parse(path, text).program, (node) => {
    if (node.type === 'ObjectExpression' && isManifest(node)) add('builds a Job or a pod', node)
    if (node.type === 'MemberExpression' && isSending(node)) add('sends HTTP', node)
    if (node.type === 'VariableDeclarator' && takesRequest(node)) add('sends HTTP', node)
    if (node.type === 'CallExpression' && isCreating(node)) add('creates a Job or a pod', node)
  })
  return found
}

/** An object with kind Job or Pod that has a spec; a reference to one has none. */
function isManifest({ properties }) {
  const kind = properties.find(({ key }) => key?.name === 'kind')?.value.value
  return (kind === 'Job' || kind === 'Pod') && properties.some(({ key }) => key?.name === 'spec')
}

function isSending({ object, property }) {
  if (property.name !== 'request') return false
  return object.name === 'http' || object.property?.name === 'http'
}

/** `const { request } = runtime.http` */
function takesRequest({ id, init }) {
  if (id.type !== 'ObjectPattern' || (init?.name !== 'http' && init?.property?.name !== 'http')) return false
  return id.properties.some(({ key }) => key?.name === 'request')
}

/** `client.of(resources.jobs).create(…)` */
function isCreating({ callee }) {
  if (!['create', 'apply', 'update'].includes(callee.property?.name)) return false
  const of = callee.object
  if (of.type !== 'CallExpression' || of.callee.property?.name !== 'of') return false
  const [type] = of.arguments
  return type?.object?.name === 'resources' && ['jobs', 'pods'].includes(type.property.name)
}
