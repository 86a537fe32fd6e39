/** What helm rendered, document by document. Notes and other texts without an apiVersion are no objects and are left out. */
import { parseYaml } from '../../../kube/manifest/parse.ts'
import { isJsonObject, type Json } from '../../../runtime/json.ts'
import type { Manifest } from '../../apply/wanted.ts'

export function manifestsIn(output: string): readonly Manifest[] {
  return output.split(/^---(?:[ \t].*)?$/m).flatMap((document, index): Manifest[] => {
    const source = /^# Source: (.+)$/m.exec(document)?.[1]?.trim() ?? `document ${index}`
    const field = `chart template ${source}`
    const manifest = parseYaml(document, field)
    if (!isJsonObject(manifest) || typeof manifest['apiVersion'] !== 'string') return []
    return [{ policy: 'manage', manifest: manifest as Json, field }]
  })
}
