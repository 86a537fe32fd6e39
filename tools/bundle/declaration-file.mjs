/** One file of type declarations: what it declares, imports and exports, and which names its declarations refer to. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'

/**
 * `declarations`: name → statements with their references; `imports`: local name → where it comes from; `exports`: exported name → a local
 * name or where it comes from; `stars`: modules whose exports are all exported. `isType` says that `type` stands in the import or export.
 */
export function readDeclarationFile(path) {
  const text = readFileSync(path, 'utf8')
  const file = { path, declarations: new Map(), imports: new Map(), exports: new Map(), stars: [] }
  const { program, comments, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`)
  let previousEnd = 0
  for (const statement of program.body) {
    const doc = comments.findLast(({ start, end }) => start >= previousEnd && end <= statement.start)
    read(file, statement, { text, doc: doc?.value.startsWith('*') ? text.slice(doc.start, doc.end) : undefined })
    previousEnd = statement.end
  }
  return file
}

function read(file, statement, { text, doc }) {
  const fromOf = ({ value }) =>
    value.startsWith('.') ? join(dirname(file.path), declared(value)) : { external: value }
  if (statement.type === 'ImportDeclaration') {
    for (const specifier of statement.specifiers) {
      const isType = statement.importKind === 'type' || specifier.importKind === 'type'
      const name =
        { ImportDefaultSpecifier: 'default', ImportNamespaceSpecifier: '*' }[specifier.type] ?? specifier.imported.name
      file.imports.set(specifier.local.name, { from: fromOf(statement.source), name, isType })
    }
  } else if (statement.type === 'ExportAllDeclaration') {
    if (statement.exported !== null) throw new Error(`${file.path}: "export * as" is not supported`)
    file.stars.push({ from: fromOf(statement.source), isType: statement.exportKind === 'type' })
  } else if (statement.type === 'ExportNamedDeclaration' && statement.declaration === null) {
    for (const { local, exported, exportKind } of statement.specifiers) {
      const isType = statement.exportKind === 'type' || exportKind === 'type'
      const from = statement.source === null ? undefined : fromOf(statement.source)
      file.exports.set(exported.name, { from, name: local.name, isType })
    }
  } else {
    const isExported = statement.type === 'ExportNamedDeclaration'
    const declaration = isExported ? statement.declaration : statement
    for (const name of namesOf(declaration, file.path)) {
      const statements = file.declarations.get(name) ?? []
      file.declarations.set(name, [...statements, { name, doc, ...textOf(declaration, text, file.path, fromOf) }])
      if (isExported) file.exports.set(name, { from: undefined, name, isType: false })
    }
  }
}

/** `./a.js` and `./a.ts` are declared by `./a.d.ts`. */
function declared(specifier) {
  return specifier.replace(/\.(js|ts)$/, '.d.ts')
}

function namesOf(declaration, path) {
  if (declaration.type === 'EmptyStatement') return []
  if (declaration.type === 'VariableDeclaration') {
    if (declaration.declarations.length !== 1) throw new Error(`${path}: one variable per statement`)
    return [declaration.declarations[0].id.name]
  }
  if (typeof declaration.id?.name === 'string') return [declaration.id.name]
  throw new Error(`${path}: ${declaration.type} is not supported`)
}

/** The statement's text and the places in it that hold names of this module: its own, and those it refers to. */
function textOf(declaration, text, path, fromOf) {
  const offset = declaration.start
  const own = declaration.id ?? declaration.declarations[0].id
  const places = [{ start: own.start - offset, end: own.start + own.name.length - offset, name: own.name }]
  const parameters = new Set()
  const reference = (node) => {
    if (node.type === 'Identifier') places.push({ start: node.start - offset, end: node.end - offset, name: node.name })
  }
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node?.type !== 'string') return undefined
    if (node.type === 'TSTypeParameter') parameters.add(node.name.name)
    if (node.type === 'TSMappedType') parameters.add(node.key.name)
    if (node.type === 'TSImportType') {
      if (node.qualifier?.type !== 'Identifier')
        throw new Error(`${path}: import() of more than one name is not supported`)
      places.push({
        start: node.start - offset,
        end: node.qualifier.end - offset,
        name: node.qualifier.name,
        from: fromOf(node.source),
      })
    }
    for (const referring of [node.typeName, node.left, node.exprName, node.superClass, node.expression, node.object])
      if (referring) reference(referring)
    if (node.computed === true && node.key) reference(node.key)
    for (const [key, child] of Object.entries(node)) if (key !== 'qualifier' && typeof child === 'object') visit(child)
    return undefined
  }
  visit(declaration)
  return {
    text: text.slice(declaration.start, declaration.end).replace(/^declare /, ''),
    shift: text.startsWith('declare ', declaration.start) ? 'declare '.length : 0,
    isAmbient: !['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'].includes(declaration.type),
    places: places.filter(({ from, name }) => from !== undefined || !parameters.has(name)),
    parameters,
  }
}
