/** Manifests: YAML and JSON files read as kubectl reads them, and written as it writes them. */
export { parseManifests, parseYaml, toYaml } from './parse.ts'
