/**
 * The first script of a worker thread. It is text, because the product is bundled into one file. It resolves imports of the package to the
 * running installation, loads the module with the first call, and answers calls.
 */
export const workerBootstrap = `
const { parentPort, workerData } = require('node:worker_threads')
const nodeModule = require('node:module')

const { moduleUrl, packages } = workerData
if (typeof nodeModule.registerHooks === 'function') {
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      specifier in packages ? { url: packages[specifier], shortCircuit: true } : next(specifier, context),
  })
} else {
  const loader =
    'let packages; export const initialize = (data) => { packages = data };' +
    'export const resolve = (specifier, context, next) =>' +
    ' specifier in packages ? { url: packages[specifier], shortCircuit: true } : next(specifier, context)'
  nodeModule.register('data:text/javascript,' + encodeURIComponent(loader), { data: packages })
}

// Errors of the parser have no line: Node.js prints it only for a program.
function withLine(stack) {
  const { fileURLToPath } = require('node:url')
  const args = ['--check', fileURLToPath(moduleUrl)]
  const { stderr } = require('node:child_process').spawnSync(process.execPath, args, { encoding: 'utf8' })
  const text = String(stderr).split('\\n    at ')[0].trim()
  return text.includes('SyntaxError') ? text : stack
}

let loading
const running = new Map()

async function call({ id, member, argument }) {
  const ending = new AbortController()
  running.set(id, ending)
  try {
    loading ??= import(moduleUrl)
    const exported = (await loading).default
    if (typeof exported !== 'object' || exported === null || !(member in exported))
      throw new Error('the module has no default export with "' + member + '"; end it with: export default defineHook({ config, run })')
    const value = exported[member]
    parentPort.postMessage({ id, value: typeof value === 'function' ? await value(argument, ending.signal) : value })
  } catch (error) {
    const isError = error instanceof Error
    const stack = error instanceof SyntaxError && !String(error.stack).includes('file:') ? withLine(error.stack) : error?.stack
    parentPort.postMessage({ id, message: isError ? error.message : String(error), stack: isError ? stack : undefined, code: isError ? error.code : undefined })
  } finally {
    running.delete(id)
  }
}

parentPort.on('message', (message) => {
  if (message.abort === true) running.get(message.id)?.abort()
  else void call(message)
})
`
