/**
 * Makes a checkout ready to run: installs packages when the lock file is newer than what is installed, and with `--build` compiles
 * when a source changed. Plain JavaScript without dependencies, because it runs before packages are installed; does nothing when all is fresh.
 * Two of them at once in one checkout, `npm start` beside `npm test`, work one after the other.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'dist', '.sources')

const lock = join(root, '.ready')
const lockPollMs = 200
/** After this time the lock of a process is void, because its number may be that of another program. */
const lockLimitMs = 15 * 60_000

const isBuilding = process.argv.includes('--build')
if (isInstallStale() || (isBuilding && isBuildStale())) {
  takeLock()
  // The process before may have done it.
  if (isInstallStale()) run('installing packages', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  if (isBuilding && isBuildStale()) build()
}

function takeLock() {
  for (let isWaiting = false; !tryLock(); isWaiting = true) {
    if (!isWaiting) process.stderr.write('carabiner: another process makes this checkout ready; waiting …\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lockPollMs)
  }
  process.on('exit', () => rmSync(lock, { recursive: true, force: true }))
}

function tryLock() {
  try {
    mkdirSync(lock)
    writeFileSync(join(lock, 'pid'), String(process.pid))
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isLockHeld()) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

function isLockHeld() {
  try {
    if (Date.now() - statSync(lock).mtimeMs > lockLimitMs) return false
    const pid = Number(readFileSync(join(lock, 'pid'), 'utf8'))
    if (pid > 0) process.kill(pid, 0)
    return true
  } catch (error) {
    // Without a process of that number. A lock without its number was taken a moment ago, or has just been released.
    return error.code !== 'ESRCH'
  }
}

function isInstallStale() {
  const installed = join(root, 'node_modules', '.package-lock.json')
  return !existsSync(installed) || statSync(installed).mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs
}

function isBuildStale() {
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint()
}

function build() {
  const sources = fingerprint()
  for (const folder of ['build', 'dist']) rmSync(join(root, folder), { recursive: true, force: true })
  run('building', process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'])
  run('bundling', process.execPath, ['tools/bundle.mjs'])
  // The compiler does not copy the shell library that hooks source.
  const framework = 'addons/scripts/framework/shell_lib.sh'
  cpSync(join(root, 'src', framework), join(root, 'dist', framework))
  run('compiling the operator', process.execPath, ['dist/bin/compile.js'])
  writeFileSync(stamp, sources)
}

/** Names, sizes and modification times of all files that the build reads. */
function fingerprint() {
  const hash = createHash('sha256')
  const add = (path) => {
    const { mtimeMs, size } = statSync(join(root, path))
    hash.update(`${path}\0${mtimeMs}\0${size}\n`)
  }
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath.slice(root.length), entry.name)
    if (entry.isFile() && !path.endsWith('.test.ts')) add(path)
  }
  for (const name of readdirSync(join(root, 'tools/bundle'))) add(join('tools/bundle', name))
  for (const path of ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'tools/bundle.mjs']) add(path)
  return hash.digest('hex')
}

function run(what, command, args) {
  process.stderr.write(`carabiner: ${what} …\n`)
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status === 0) return
  process.stderr.write(`carabiner: ${what} failed${error ? `: ${error.message}` : ''}\n`)
  process.exit(status ?? 1)
}
