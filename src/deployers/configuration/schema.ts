/** The schema of the file that says which deployers run and how. */
import { httpSchema, jobSchema, processSchema } from '../../hooks/index.ts'
import type { Schema } from '../../schema/index.ts'
import { hookTypes } from '../hooks/registry.ts'
import { duration, listOf, object, text } from '../resources/schemas.ts'
import { stockNames } from '../stock/names.ts'

const flag: Schema = { type: 'boolean' }
const requirement = object({ key: text, operator: text, values: listOf(text) }, 'key', 'operator')
const textMap: Schema = { type: 'object', additionalProperties: text }

function pick({ properties = {} }: Schema, ...names: readonly string[]): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)))
}

const hook = object(
  {
    name: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 40 },
    points: { type: 'array', minItems: 1, items: { type: 'string', enum: [...hookTypes] } },
    timeout: duration,
    values: listOf(text),
    process: processSchema,
    // The context is the body, and any status from 200 to 299 means success.
    http: object({ ...pick(httpSchema, 'url', 'tls'), headers: textMap }, 'url'),
    job: object(pick(jobSchema, 'template'), 'template'),
  },
  'name',
  'points',
)

const deployer = object(
  {
    name: { type: 'string', enum: [...stockNames] },
    identity: text,
    targetSelectors: listOf(
      object({
        targets: listOf(object({ name: text, namespace: text }, 'name')),
        annotations: listOf(requirement),
        labels: listOf(requirement),
      }),
    ),
    workers: { type: 'integer', minimum: 1, maximum: 10_000 },
    deletionFirst: flag,
    watchAllTypes: flag,
    hooks: listOf(hook),
  },
  'name',
)

export const configurationSchema = object({
  deployItemTimeouts: object({ pickup: duration, abort: duration, progressingDefault: duration }),
  deployers: listOf(deployer),
  landscaper: flag,
  targets: object({
    allowExec: flag,
    allowFiles: flag,
    allowInCluster: flag,
    hostKubeconfig: text,
    secretNamespaces: listOf(
      object(
        { targets: text, secrets: text, cluster: { type: 'string', enum: ['landscaper', 'host'] } },
        'targets',
        'secrets',
      ),
    ),
  }),
  helm: object({ program: text, ociFolders: textMap }),
  container: object({ namespace: text, defaultImage: text, initImage: text, waitImage: text, keepPods: flag }),
})
