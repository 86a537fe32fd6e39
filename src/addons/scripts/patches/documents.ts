/** Separates `KUBERNETES_PATCH_PATH` into documents: a stream of JSON objects, with or without `---` between them, or YAML. */
import { parseYamlDocuments, parseYamlTexts } from '../../../kube/manifest/index.ts'
import { isJsonObject } from '../../../runtime/index.ts'
import { brokenLine, readJsonStream, whyNoJson } from '../json-stream.ts'

const separator = /^---[ \t]*\r?$/gm

export function readDocuments(text: string): unknown[] {
  // No string of JSON contains such a line, because it contains no line break.
  const json = text.replace(separator, '')
  if (json.trimStart().startsWith('{')) {
    try {
      return readJsonStream(json)
    } catch (error) {
      // YAML may also begin with a brace, but not continue after a valid line of JSON. The line is not quoted: it may contain a secret.
      const broken = brokenLine(json)
      if (json === text && broken !== undefined && broken.number > 1)
        throw new Error(`line ${broken.number}: ${whyNoJson(error)}`)
    }
  }
  return yamlDocuments(text)
}

const names = ['name', 'namespace']

/** A name may look like a number. It is taken as it is written: YAML reads 0123 as 83. */
function yamlDocuments(text: string): unknown[] {
  const documents = parseYamlDocuments(text, 'line')
  const isNumber = (document: unknown, key: string) => isJsonObject(document) && typeof document[key] === 'number'
  if (!documents.some((document) => names.some((key) => isNumber(document, key)))) return documents
  const texts = parseYamlTexts(text, 'line')
  return documents.map((document, index) => {
    const written = texts[index]
    if (!isJsonObject(document) || !isJsonObject(written)) return document
    const taken = names.filter((key) => isNumber(document, key)).map((key) => [key, written[key]])
    return { ...document, ...Object.fromEntries(taken) }
  })
}
