/** Manifests: YAML and JSON files read as kubectl reads them, and written as it writes them. */
export { parseManifests, parseYaml, parseYamlDocuments, parseYamlTexts, toYaml } from './parse.ts'
