/**
 * Writes `src/sandbox/apiserver/protobuf/messages.generated.ts`: field numbers and types of the built-in kinds in Kubernetes' binary
 * form, read from the struct tags of the Go modules that the real control plane is built from.
 *
 *   npx tsx tools/messages/main.ts
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageOf, structsOf } from './source.ts'

const module = fileURLToPath(new URL('../../test/control-plane/go/kubernetes/', import.meta.url))
const output = fileURLToPath(new URL('../../src/sandbox/apiserver/protobuf/messages.generated.ts', import.meta.url))

const groups = [
  'admissionregistration/v1',
  'apps/v1',
  'authentication/v1',
  'authorization/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'coordination/v1',
  'core/v1',
  'discovery/v1',
  'events/v1',
  'networking/v1',
  'node/v1',
  'policy/v1',
  'rbac/v1',
  'scheduling/v1',
  'storage/v1',
]

const api = folderOf('k8s.io/api')
const machinery = folderOf('k8s.io/apimachinery')
const packages = [
  ...groups.map((name) => ({ name, source: sourcesOf(join(api, name)) })),
  { name: 'meta/v1', source: sourcesOf(join(machinery, 'pkg/apis/meta/v1')) },
]
const structs = new Set(packages.flatMap(({ name, source }) => structsOf(name, source)))
const lines = packages.flatMap(({ name, source }) => packageOf(name, source, structs))
writeFileSync(
  output,
  `/**
 * Messages of the built-in kinds, one a line: name, then \`number jsonName type flags\` per field. Written by \`tools/messages\` from
 * the Go modules of the control plane; never edit it by hand. \`messages.ts\` says how to read it.
 */
export const messagesText = \`
${lines.join('\n')}
\`
`,
)
process.stderr.write(`${lines.length} messages\n`)

function folderOf(name: string): string {
  return execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', name], { cwd: module, encoding: 'utf8' }).trim()
}

function sourcesOf(folder: string): string {
  if (!existsSync(folder)) throw new Error(`${folder} is not there`)
  const files = readdirSync(folder).filter((name) => name.endsWith('.go') && !/^(zz_|generated|.*_test)/.test(name))
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
}
