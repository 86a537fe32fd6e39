import { expect, it } from 'vitest'
import { createClient } from '../../kube/client/create.ts'
import { handlerTransport } from '../../kube/transport/handler.ts'
import type { Json } from '../../runtime/json.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { writeExportSecret } from './export-secret.ts'

/** The bytes of the exported JSON, as the server receives them; or the error. */
async function written(values: Readonly<Record<string, Json>>): Promise<number | string> {
  let bytes = 0
  const transport = handlerTransport(({ body }) => {
    const { data } = JSON.parse(new TextDecoder().decode(body)) as { data: { config: string } }
    bytes = atob(data.config).length
    return Promise.resolve({
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: body ?? new Uint8Array(),
    })
  })
  const client = createClient({ transport, runtime: createSimulation(1).runtime })
  const owner = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', namespace: 'b', uid: 'u' } }
  return await writeExportSecret(client, owner, values).then(
    () => bytes,
    ({ codes, message }: { codes: readonly string[]; message: string }) => `${codes.join()} ${message}`,
  )
}

const limit = 1024 ** 2 - 'config'.length
const refusal =
  'ERR_CONFIGURATION_PROBLEM the exports are larger than 1 MiB, the limit of a Secret: export fewer values.'
const textOf = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) })

it('writes exports of up to 1 MiB and refuses larger ones without a retry', async () => {
  expect(await written(textOf(limit))).toBe(limit)
  expect(await written(textOf(limit + 1))).toBe(refusal)
})

it.each<[string, Json]>([
  ['text with several bytes per character', 'ü'.repeat(limit / 2)],
  ['escaped text', '\n'.repeat(limit / 2)],
  ['many names', Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`name${index}`, 1]))],
  ['one value many times', Array.from({ length: 10_000 }, () => [textOf(500_000)]) as never],
])('counts the bytes of %s', async (_, value) => {
  expect(await written({ value })).toBe(refusal)
})

it('counts exactly', async () => {
  const values = { a: [1, null, true, { 'ü"': 'x\n' }], b: {}, c: [], d: -1.5e300 }
  const bytes = new TextEncoder().encode(JSON.stringify(values)).length
  const filler = textOf(limit - bytes - ',"f":'.length)
  expect(await written({ ...values, f: filler })).toBe(limit)
  expect(await written({ ...values, f: { text: `${filler.text}x` } })).toBe(refusal)
})
