/** Parses values: one YAML document, which may be empty or contain only comments. */
import { parseYamlDocuments } from '../../../kube/index.ts'
import { CarabinerError } from '../../../runtime/index.ts'

/** @param name the file, for messages */
export function parseValues(text: string, name: string): unknown {
  const documents = parseYamlDocuments(text, name)
  if (documents.length > 1) throw new CarabinerError('CRB_YAML_MALFORMED', `${name}: contains more than one document`)
  return documents[0] ?? null
}
