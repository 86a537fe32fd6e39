import { describe, expect, it } from 'vitest'
import type { Runtime } from '../../runtime/runtime.ts'
import type { CliContext } from '../context.ts'
import { command } from './index.ts'

interface Ending {
  readonly out: string
  readonly err: string
  readonly code: number
}

const files: Readonly<Record<string, string>> = {
  'pod.yaml': 'metadata:\n  name: web\n  labels: {b: "2", a: "1"}\n---\nmetadata: {name: db}\n',
  'list.json': '{"items":[{"name":"a"},{"name":"b"}]}\n',
  'words.txt': 'one\ntwo\n',
}

/** Runs the command on files in memory. */
async function jq(args: readonly string[], stdin = 'null'): Promise<Ending> {
  let out = ''
  let err = ''
  let code = 0
  const output = (write: (text: string) => void) => ({ write, isTerminal: false, columns: 80 })
  const context: CliContext = {
    runtime: {
      clock: { now: () => 1_500 },
      env: { HOME: '/home/me', EMPTY: undefined },
      files: {
        facts: (path: string) => Promise.resolve(path in files ? { kind: 'file' } : undefined),
        readText: (path: string) => Promise.resolve(files[path]),
      },
    } as unknown as Runtime,
    stdout: output((text) => {
      out += text
    }),
    stderr: output((text) => {
      err += text
    }),
    readStdin: () => Promise.resolve(new TextEncoder().encode(stdin)),
    exit: (given) => {
      code = given
    },
    signal: new AbortController().signal,
    leave: () => undefined,
    programName: 'carabiner',
  }
  await command(context)
    .exitOverride()
    .parseAsync([...args], { from: 'user' })
  return { out, err, code }
}

describe('carabiner jq', () => {
  it('prints each output of each input, indented by two', async () => {
    expect(await jq(['.a'], '{"a":[1,{"b":2}]} {"a":3}')).toEqual({
      out: '[\n  1,\n  {\n    "b": 2\n  }\n]\n3\n',
      err: '',
      code: 0,
    })
  })

  it('prints number literals unchanged', async () => {
    expect((await jq(['-c', '.'], '[1.0, 100000000000000000001, 1e1000]')).out).toBe(
      '[1.0,100000000000000000001,1E+1000]\n',
    )
  })

  it.each([
    [['-r', '.[]'], 'a\n1\n'],
    [['-j', '.[]'], 'a1'],
    [['-c', '.'], '["a",1]\n'],
    [['-rc', '.'], '["a",1]\n'],
    [['--tab', '.'], '[\n\t"a",\n\t1\n]\n'],
    [['--indent', '1', '.'], '[\n "a",\n 1\n]\n'],
    [['--indent', '0', '.'], '["a",1]\n'],
    [['-n', '.'], 'null\n'],
    [['-cs', '.'], '[["a",1]]\n'],
    [['-R', '.'], '"[\\"a\\", 1]"\n'],
    [['-c', '--arg', 'x', '1', '--argjson', 'y', '{"z":2}', '[$x, $y, $ARGS.named.x]'], '["1",{"z":2},"1"]\n'],
    [['-nc', '$ARGS.positional', '--args', 'a', 'b'], '["a","b"]\n'],
    [['-nc', '$ARGS.positional', '--jsonargs', '1', '[2]'], '[1,[2]]\n'],
    [
      ['-nc', '--slurpfile', 'l', 'list.json', '--rawfile', 'w', 'words.txt', '[($l|length), $w]'],
      '[1,"one\\ntwo\\n"]\n',
    ],
    [['-nc', '[$ENV.HOME, env.EMPTY, now]'], '["/home/me",null,1.5]\n'],
    [['-nc', '[inputs]'], '[["a",1]]\n'],
  ])('accepts %j', async (args, out) => {
    expect(await jq(args, '["a", 1]')).toEqual({ out, err: '', code: 0 })
  })

  it('reads files, YAML and raw lines', async () => {
    expect((await jq(['-c', '.items[].name', 'list.json'])).out).toBe('"a"\n"b"\n')
    expect((await jq(['--yaml', '-r', '.metadata.name', 'pod.yaml'])).out).toBe('web\ndb\n')
    expect((await jq(['--yaml', '-cS', '.metadata.labels', 'pod.yaml'])).out).toBe('{"a":"1","b":"2"}\nnull\n')
    expect((await jq(['-R', 'input_filename + ":" + .', 'words.txt'])).out).toBe('"words.txt:one"\n"words.txt:two"\n')
    expect((await jq(['-Rs', '.', 'words.txt'])).out).toBe('"one\\ntwo\\n"\n')
  })

  it('has the exit codes of jq', async () => {
    expect((await jq(['-e', '.'], 'false')).code).toBe(1)
    expect((await jq(['-e', '.'], '1')).code).toBe(0)
    expect((await jq(['-e', 'empty'], '1')).code).toBe(4)
    expect(await jq(['.a'], '1 {"a":2}')).toEqual({
      out: '2\n',
      err: 'jq: error: Cannot index number with string ("a")\n',
      code: 5,
    })
    expect(await jq(['.a | |'])).toEqual({
      out: '',
      err: "jq: error: syntax error, unexpected '|' at <top-level>, line 1, column 6:\n    .a | |\n         ^\n",
      code: 3,
    })
    expect((await jq(['.'], '{"a":1,}')).code).toBe(2)
    expect(await jq(['"bye\n" | halt_error(7)'])).toEqual({ out: '', err: 'bye\n', code: 7 })
    expect(await jq(['1, halt, 2'])).toEqual({ out: '1\n', err: '', code: 0 })
  })

  it('exits with 2 when a file cannot be read, because 1 is a result', async () => {
    const missing = await jq(['-e', '.', 'missing.json'])
    expect(missing).toMatchObject({ out: '', code: 2 })
    expect(missing.err).toContain('missing.json does not exist')
    const notJson = await jq(['-n', '--slurpfile', 'a', 'words.txt', '$a'])
    expect(notJson).toMatchObject({ out: '', code: 2 })
    expect(notJson.err).toMatch(/CRB_YAML_MALFORMED: words.txt is not valid JSON\n {2}cause: .* line 2, column 0\n/)
    const notYaml = await jq(['--yaml', '.'], 'a: [')
    expect(notYaml).toMatchObject({ out: '', code: 2 })
    expect(notYaml.err).toContain('standard input is not valid YAML')
  })

  it('prints debug messages to standard error', async () => {
    expect(await jq(['debug'], '1')).toEqual({ out: '1\n', err: '["DEBUG:",1]\n', code: 0 })
  })

  it('rejects unknown options and invalid values', async () => {
    await expect(jq(['-x', '.'])).rejects.toThrow('-x: unknown option -x')
    await expect(jq(['--indent', '9', '.'])).rejects.toThrow('expected a number from 0 to 7')
    await expect(jq(['--arg', 'x'])).rejects.toThrow('takes two values')
    await expect(jq([])).rejects.toThrow('a program is required')
  })
})
