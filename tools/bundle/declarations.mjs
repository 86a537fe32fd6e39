/**
 * Rolls the declarations of hundreds of modules up to one file per room and one per entry of the package, with only what the entries
 * export and what that refers to. TypeScript has no such step, and its programming interface, which the known tools need, is not stable.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readDeclarationFile } from './declaration-file.mjs'

/** `folder` has the declarations of all modules; `entries` are modules in it by the name of the file to write. */
export function rollUp(folder, entries, outdir) {
  const graph = new Graph(folder)
  const exported = Object.entries(entries).map(([entry, module]) => [
    entry,
    graph.exportsOf(join(folder, `${module}.d.ts`)),
  ])
  const chunks = chunksOf(
    graph,
    exported.flatMap(([, names]) => [...names.values()]),
    folder,
  )
  mkdirSync(join(outdir, 'types'), { recursive: true })
  for (const chunk of chunks.values())
    writeFileSync(join(outdir, 'types', `${chunk.room}.d.ts`), printChunk(chunk, chunks, graph))
  for (const [entry, names] of exported) writeFileSync(join(outdir, `${entry}.d.ts`), printEntry(names, chunks))
}

/** Follows names through imports and exports to their declarations. */
class Graph {
  #folder
  #files = new Map()

  constructor(folder) {
    this.#folder = folder
  }

  file(path) {
    if (!this.#files.has(path)) this.#files.set(path, readDeclarationFile(path))
    return this.#files.get(path)
  }

  /** Exported name → the declaration, as `find` returns it. */
  exportsOf(path) {
    const { exports, stars } = this.file(path)
    const found = new Map()
    for (const { from, isType } of stars)
      for (const [name, target] of this.exportsOf(from))
        if (name !== 'default') found.set(name, withType(target, isType))
    for (const [name, { from, name: local, isType }] of exports)
      found.set(name, withType(from === undefined ? this.local(path, local) : this.#exported(from, local), isType))
    return found
  }

  /** What a name inside a module means; undefined when it is global. */
  local(path, name) {
    const { declarations, imports } = this.file(path)
    if (declarations.has(name)) return { key: `${relative(this.#folder, path)}#${name}`, path, name, isType: false }
    const imported = imports.get(name)
    return imported && withType(this.#exported(imported.from, imported.name), imported.isType)
  }

  /** What a reference in a declaration means. */
  target(path, { from, name }) {
    return from === undefined ? this.local(path, name) : this.#exported(from, name)
  }

  #exported(from, name) {
    if (from.external !== undefined)
      return { key: `${from.external}#${name}`, external: from.external, name, isType: false }
    const target = this.exportsOf(from).get(name)
    if (target === undefined) throw new Error(`${from} does not export ${name}`)
    return target
  }
}

function withType(target, isType) {
  return isType && target !== undefined ? { ...target, isType } : target
}

/** Everything reachable from the exports, by room, each with a name that is unique in its room. */
function chunksOf(graph, targets, folder) {
  const chunks = new Map()
  const seen = new Set()
  for (let next = targets; next.length > 0; ) {
    const found = []
    for (const { key, path, name, external } of next) {
      if (external !== undefined || seen.has(key)) continue
      seen.add(key)
      const room = relative(folder, path).split('/')[0].replace('.d.ts', '')
      const chunk = chunks.get(room) ?? { room, members: [], globals: new Set() }
      chunks.set(room, chunk)
      chunk.members.push({ key, path, name, statements: graph.file(path).declarations.get(name) })
      for (const place of chunk.members.at(-1).statements.flatMap(({ places }) => places)) {
        const target = graph.target(path, place)
        if (target === undefined) chunk.globals.add(place.name)
        else found.push(target)
      }
    }
    next = found
  }
  for (const chunk of chunks.values()) nameMembers(chunk)
  return chunks
}

function nameMembers(chunk) {
  chunk.taken = new Set(chunk.globals)
  chunk.names = new Map(chunk.members.map(({ key, name }) => [key, free(chunk, name)]))
  chunk.members.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

/** The name, or with a number if it is taken. */
function free({ taken }, name) {
  let [unique, number] = [name, 0]
  while (taken.has(unique)) unique = `${name}$${++number}`
  taken.add(unique)
  return unique
}

function printChunk(chunk, chunks, graph) {
  const imports = new Map()
  const nameOf = (target) => {
    const own = chunk.names.get(target.key)
    if (own !== undefined) return own
    if (!imports.has(target.key)) {
      const origin = originOf(target, chunks)
      imports.set(target.key, { ...origin, as: free(chunk, target.name === '*' ? 'external' : origin.name) })
    }
    return imports.get(target.key).as
  }
  const body = chunk.members.flatMap(({ path, statements }) =>
    statements.map((statement) =>
      printStatement(statement, (place) => {
        const target = graph.target(path, place)
        const name = target === undefined ? place.name : nameOf(target)
        if (name !== place.name && statement.parameters.has(name))
          throw new Error(`${path}: a type parameter hides ${name}`)
        return name
      }),
    ),
  )
  const head = [...imports.values()].map(({ from, name, as }) =>
    name === '*' ? `import type * as ${as} from '${from}'` : `import { ${alias(name, as)} } from '${from}'`,
  )
  return `${[...head, ...body].join('\n')}\nexport {}\n`
}

function originOf({ key, external, name }, chunks) {
  if (external !== undefined) return { from: external, name }
  const [room, names] = [...chunks].map(([one, chunk]) => [one, chunk.names]).find(([, found]) => found.has(key))
  return { from: `./${room}.js`, name: names.get(key) }
}

function printStatement({ doc, text, shift, isAmbient, places }, nameOf) {
  let printed = text
  for (const place of places.toSorted((a, b) => b.start - a.start))
    printed = printed.slice(0, place.start - shift) + nameOf(place) + printed.slice(place.end - shift)
  return `${doc === undefined ? '' : `${doc}\n`}export ${isAmbient ? 'declare ' : ''}${printed}`
}

function printEntry(names, chunks) {
  const lines = [...names].map(([exported, target]) => {
    const { from, name } = originOf(target, chunks)
    return {
      from: target.external ?? from.replace('./', './types/'),
      text: `${target.isType ? 'type ' : ''}${alias(name, exported)}`,
    }
  })
  return [...grouped(lines)]
    .map(([from, group]) => `export { ${group.map(({ text }) => text).join(', ')} } from '${from}'\n`)
    .join('')
}

function grouped(lines) {
  const groups = new Map()
  for (const line of lines) groups.set(line.from, [...(groups.get(line.from) ?? []), line])
  return groups
}

function alias(name, as) {
  return name === as ? name : `${name} as ${as}`
}
