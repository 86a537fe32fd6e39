/** Reads the results that the `wait` container stored: exports, and the names of the secrets with the state. */
import { isNotFound, type KubeObject } from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import { isJsonObject, type Json, textFromBase64 } from '../../../runtime/index.ts'
import type { RunObjects } from './objects.ts'
import { resultSecretName } from './pod.ts'

export interface Result {
  readonly chunks: readonly string[]
  readonly values: Readonly<Record<string, Json>> | undefined
  readonly problem: string | undefined
}

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> }

/** Undefined when there is no result, for example because the pod never started. */
export async function readResult({ client, run: name, namespace, signal }: RunObjects): Promise<Result | undefined> {
  try {
    const { data = {} } = await client.of<Secret>(resources.secrets).get(resultSecretName(name), { namespace, signal })
    const chunks = textFromBase64(data['chunks'] ?? '')
      .split(/\s+/)
      .filter((one) => one.startsWith(`${name}-`))
    const exported = textFromBase64(data['config'] ?? '')
    if (exported.trim() === '') return { chunks, values: undefined, problem: undefined }
    const values = parseObject(exported)
    const problem = values === undefined ? 'the file at EXPORTS_PATH does not hold a JSON object' : undefined
    return { chunks, values, problem }
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function parseObject(json: string): Readonly<Record<string, Json>> | undefined {
  try {
    const value = JSON.parse(json) as Json
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
