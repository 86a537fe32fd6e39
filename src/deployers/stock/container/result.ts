/** What the container that carries away left of a run: exports, and the secrets that hold the state. */
import { isNotFound } from '../../../kube/errors.ts'
import type { KubeObject } from '../../../kube/object.ts'
import { resources } from '../../../kube/types.ts'
import { textFromBase64 } from '../../../runtime/base64.ts'
import { isJsonObject, type Json } from '../../../runtime/json.ts'
import type { RunObjects } from './objects.ts'
import { resultOf } from './pod.ts'

export interface Result {
  readonly chunks: readonly string[]
  readonly values: Readonly<Record<string, Json>> | undefined
  readonly problem: string | undefined
}

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> }

/** What the run left; undefined when it left nothing, for example because it never came to its end. */
export async function readResult({ client, run: name, namespace, signal }: RunObjects): Promise<Result | undefined> {
  try {
    const { data = {} } = await client.of<Secret>(resources.secrets).get(resultOf(name), { namespace, signal })
    const chunks = textFromBase64(data['chunks'] ?? '')
      .split(/\s+/)
      .filter((one) => one.startsWith(`${name}-`))
    const exported = textFromBase64(data['config'] ?? '')
    if (exported.trim() === '') return { chunks, values: undefined, problem: undefined }
    const values = parsed(exported)
    const problem = values === undefined ? 'the file at EXPORTS_PATH does not hold a JSON object' : undefined
    return { chunks, values, problem }
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function parsed(json: string): Readonly<Record<string, Json>> | undefined {
  try {
    const value = JSON.parse(json) as Json
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
