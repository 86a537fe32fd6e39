/** Splits the output of helm into manifests. Documents without an apiVersion, such as notes, are ignored. */
import { parseYaml } from '../../../kube/index.ts'
import { CarabinerError, isJsonObject, type Json } from '../../../runtime/index.ts'
import type { Manifest } from '../../apply/manifests.ts'
import { configurationProblem } from '../../library/errors.ts'

export function manifestsIn(output: string): readonly Manifest[] {
  return output.split(/^---(?:[ \t].*)?$/m).flatMap((document, index): Manifest[] => {
    const source = /^# Source: (.+)$/m.exec(document)?.[1]?.trim() ?? `document ${index}`
    const field = `chart template ${source}`
    if (document.replace(/^\s*#.*$/gm, '').trim() === '') return []
    const manifest = parsed(document, field)
    if (!isJsonObject(manifest) || typeof manifest['apiVersion'] !== 'string') return []
    return [{ policy: 'manage', manifest, field }]
  })
}

function parsed(document: string, field: string): Json | undefined {
  try {
    return parseYaml(document, field) as Json | undefined
  } catch (error) {
    if (!(error instanceof CarabinerError)) throw error
    throw configurationProblem('RenderChart', error.message, error)
  }
}
