/** Reads a chart from an OCI image layout on disk: index, manifest, layer. Every blob is checked against its digest. */
import { CarabinerError, type Files, isJsonObject, type Json, type JsonObject, sha256 } from '../../../runtime/index.ts'

const chartLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'
const tagAnnotation = 'org.opencontainers.image.ref.name'

/** The chart archive of this tag; without a tag the layout must have exactly one version. */
export async function chartInLayout(files: Files, folder: string, tag: string | undefined): Promise<Uint8Array> {
  const index = await document(files, `${folder}/index.json`)
  const entries = listIn(index, 'manifests')
  const tags = entries.map((entry) => annotationOf(entry))
  const found =
    tag === undefined && entries.length === 1 ? entries[0] : entries[tags.findIndex((one) => isTag(one, tag))]
  if (found === undefined) {
    const known = tags.filter((one) => one !== undefined).join(', ')
    throw invalid(`${folder}/index.json has no ${tag ?? 'single'} version; there are: ${known || 'none'}`)
  }
  const bytes = await blob(files, folder, found)
  const manifest = JSON.parse(new TextDecoder().decode(bytes)) as Json
  const layer = listIn(manifest, 'layers').find((one) => one['mediaType'] === chartLayer)
  if (layer === undefined) throw invalid(`${folder} has no chart in ${tag ?? 'its only version'}`)
  return blob(files, folder, layer)
}

function isTag(annotation: string | undefined, tag: string | undefined): boolean {
  return annotation !== undefined && tag !== undefined && (annotation === tag || annotation.endsWith(`:${tag}`))
}

function annotationOf(entry: JsonObject): string | undefined {
  const { annotations } = entry
  const tag = isJsonObject(annotations) ? annotations[tagAnnotation] : undefined
  return typeof tag === 'string' ? tag : undefined
}

async function blob(files: Files, folder: string, { digest }: JsonObject): Promise<Uint8Array> {
  const hex = typeof digest === 'string' ? /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1] : undefined
  if (hex === undefined) throw invalid(`${folder} refers to a blob without a sha256 digest`)
  const path = `${folder}/blobs/sha256/${hex}`
  const bytes = await files.read(path)
  const actual = [...sha256(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (actual !== hex) throw invalid(`${path} does not match its digest`)
  return bytes
}

async function document(files: Files, path: string): Promise<Json> {
  const text = await files.readText(path)
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw new CarabinerError('CRB_CHART_INVALID', `${path} is not JSON.`, { cause })
  }
}

function listIn(value: Json, key: string): readonly JsonObject[] {
  const items = isJsonObject(value) ? value[key] : undefined
  return Array.isArray(items) ? (items as readonly Json[]).filter(isJsonObject) : []
}

function invalid(what: string): CarabinerError {
  return new CarabinerError('CRB_CHART_INVALID', `${what}.`)
}
