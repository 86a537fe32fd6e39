import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRealRuntime } from '../runtime/real/index.ts'
import { socketPaths } from './socket.ts'
import { fitsSocket, homeFolders, isOwnFolder, makeUserFolder, userFolders } from './user-folder.ts'

const runtime = createRealRuntime({ log: { write: () => undefined } })
let folder: string
beforeAll(async () => {
  folder = await runtime.files.makeTemporary('user-folder-')
})
afterAll(() => runtime.files.remove(folder))

const inTmp = join(tmpdir(), `carabiner-${userInfo().uid}`)

describe('the folder of the user', () => {
  it('is in the runtime folder of the session, else in the home, else in the folder for temporary files', () => {
    const env = { XDG_RUNTIME_DIR: '/run/user/7', HOME: '/home/me' }
    expect(userFolders({ env })).toEqual(['/run/user/7/carabiner', '/home/me/.carabiner', inTmp])
    expect(homeFolders({ env })).toEqual(['/home/me/.carabiner', inTmp])
    expect(userFolders({ env: { XDG_RUNTIME_DIR: 'relative', HOME: '' } })).toEqual([inTmp])
  })

  it('is created for this user alone', async () => {
    const path = join(folder, 'new')
    expect(await makeUserFolder(runtime, [path], 'debug.socket')).toBe(path)
    expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(await isOwnFolder(runtime, path)).toBe(true)
    expect(await makeUserFolder(runtime, [path], 'debug.socket')).toBe(path)
  })

  it('is not one that another user could have prepared', async () => {
    const [open, link, file, good] = ['open', 'link', 'file', 'good'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
      string,
    ]
    mkdirSync(open)
    chmodSync(open, 0o777)
    mkdirSync(join(folder, 'target'))
    symlinkSync(join(folder, 'target'), link)
    await runtime.files.write(file, '')
    expect(await makeUserFolder(runtime, [open, link, file, good], 'debug.socket')).toBe(good)
    expect(await isOwnFolder(runtime, open)).toBe(false)
    expect(await isOwnFolder(runtime, link)).toBe(false)
    await expect(makeUserFolder(runtime, [open, link], 'debug.socket')).rejects.toMatchObject({
      code: 'CRB_USER_FOLDER_MISSING',
      message: expect.stringMatching(/open": other users can write to it; .*link": it is not a directory/),
    })
  })

  it.skipIf(userInfo().uid !== 0)('is not one in a folder of another user', async () => {
    const foreign = join(folder, 'foreign')
    mkdirSync(foreign)
    const { chownSync } = await import('node:fs')
    chownSync(foreign, 12_345, 12_345)
    const own = join(folder, 'own')
    expect(await makeUserFolder(runtime, [join(foreign, 'carabiner'), own], 'debug.socket')).toBe(own)
    mkdirSync(join(folder, 'taken'))
    chownSync(join(folder, 'taken'), 12_345, 12_345)
    expect(await isOwnFolder(runtime, join(folder, 'taken'))).toBe(false)
  })

  it('is skipped for a socket whose path would be too long', async () => {
    expect(fitsSocket(`/${'x'.repeat(102)}`)).toBe(true)
    expect(fitsSocket(`/${'ü'.repeat(52)}`)).toBe(false)
    const env = { HOME: join(folder, 'h'.repeat(120)) }
    expect((await socketPaths({ ...runtime, env }, {})).join()).not.toContain('hhh')
  })
})
