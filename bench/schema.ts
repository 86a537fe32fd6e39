/** Validation with a schema of 200 KB against ajv: time to the first result, and speed of the later ones. */
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { Json } from '../src/runtime/json.ts'
import { type Schema, validate } from '../src/schema/index.ts'
import type { Bench } from './harness.ts'

/** A workload-like type: containers with the fields a pod has, with long descriptions as in published schemas. */
function section(name: string): Schema {
  const description = `The ${name} of the workload. ${'Lorem ipsum dolor sit amet, consectetur adipiscing elit. '.repeat(3)}`
  const text = (extra: Schema = {}): Schema => ({ type: 'string', description, ...extra })
  const quantity: Schema = {
    type: 'object',
    description,
    additionalProperties: { type: 'string', pattern: '^[0-9.]+([a-zA-Z]*)$' },
  }
  return {
    type: 'object',
    description,
    required: ['name', 'image'],
    properties: {
      name: text({ maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }),
      image: text({ minLength: 1 }),
      imagePullPolicy: text({ enum: ['Always', 'Never', 'IfNotPresent'] }),
      command: { type: 'array', description, items: text() },
      args: { type: 'array', description, maxItems: 100, items: text() },
      env: {
        type: 'array',
        description,
        items: { type: 'object', required: ['name'], properties: { name: text(), value: text() } },
      },
      ports: {
        type: 'array',
        description,
        items: {
          type: 'object',
          required: ['containerPort'],
          properties: {
            containerPort: { type: 'integer', format: 'int32', minimum: 1, maximum: 65535, description },
            protocol: text({ enum: ['TCP', 'UDP', 'SCTP'] }),
            name: text(),
          },
        },
      },
      resources: { type: 'object', description, properties: { limits: quantity, requests: quantity } },
      started: text({ format: 'date-time' }),
      weight: { type: 'number', minimum: 0, maximum: 1, description },
      privileged: { type: 'boolean', description },
    },
  }
}

const sections = Array.from({ length: 44 }, (_, index) => `section${index}`)

function schema(): Schema {
  return {
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: {
        type: 'object',
        properties: Object.fromEntries(
          sections.map((name) => [name, { type: 'array', items: section(name) } as Schema]),
        ),
      },
    },
  }
}

function value(): Json {
  const container = (index: number): Json => ({
    name: `container-${index}`,
    image: 'registry.example.com/service:1',
    imagePullPolicy: 'IfNotPresent',
    args: ['--a', '--b'],
    env: Array.from({ length: 5 }, (_, number) => ({ name: `VARIABLE_${number}`, value: 'value' })),
    ports: [{ containerPort: 8080, protocol: 'TCP', name: 'http' }],
    resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m', memory: '128Mi' } },
    started: '2024-05-06T07:08:09Z',
    weight: 0.5,
    privileged: false,
  })
  return {
    apiVersion: 'example.com/v1',
    kind: 'Workload',
    metadata: { name: 'x' },
    spec: Object.fromEntries(sections.slice(0, 12).map((name) => [name, [container(0), container(1)]])),
  }
}

function ajvValidator(fresh: Schema): ValidateFunction {
  const ajv = new Ajv({ allErrors: true, strict: false })
  addFormats.default(ajv)
  return ajv.compile(fresh)
}

const bench: Bench = {
  name: 'schema',
  async run(context) {
    const text = JSON.stringify(schema())
    const sample = value()
    context.report('schema', text.length / 1024, 'KB')
    context.report('value', JSON.stringify(sample).length / 1024, 'KB')
    const ready = ajvValidator(schema())
    const steady = schema()
    if (validate(sample, steady).length > 0 || !ready(sample)) throw new Error('the sample must be valid')
    await context.measure({
      name: 'first validation with a new schema',
      candidates: {
        ours: () => void validate(sample, JSON.parse(text) as Schema),
        ajv: () => void ajvValidator(JSON.parse(text) as Schema)(sample),
      },
      atLeast: { ajv: 10 },
    })
    await context.measure({
      name: 'later validations',
      repeat: 300,
      candidates: { ours: () => void validate(sample, steady), ajv: () => void ready(sample) },
      atLeast: { ajv: 0.5 },
    })
  },
}

export default bench
