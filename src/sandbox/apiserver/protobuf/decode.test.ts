import { describe, expect, it } from 'vitest'
import { decodeProtobuf } from './decode.ts'

const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

// What `kubectl create secret generic s --from-literal=a=b` and `kubectl create deployment web --image=x:1 --replicas=0` send.
const secret =
  '6b3873000a0c0a0276311206536563726574121d0a110a017312001a0022002a0032003800420012060a01611201621a001a002200'
const deployment =
  '6b3873000a150a07617070732f7631120a4465706c6f796d656e7412a5010a1f0a0377656212001a0022002a003200380042005a0a0a03617070120377656212740800120c0a0a0a0361707012037765621a5a0a1c0a0012001a0022002a003200380042005a0a0a036170701203776562123a121c0a01781203783a312a0042006a007200800100880100900100a201001a00320042004a0052005800600068008201008a01009a0100c2010022020a00280038001a0c0800100018002000280038001a002200'

describe('decodeProtobuf', () => {
  it('decodes byte maps and omits unset fields', () => {
    expect(decodeProtobuf(bytes(secret))).toEqual({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 's' },
      data: { a: 'Yg==' },
    })
  })

  it('keeps an explicit zero', () => {
    const decoded = decodeProtobuf(bytes(deployment))
    expect(decoded).toMatchObject({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'x', image: 'x:1', resources: {} }] },
        },
        strategy: {},
      },
    })
    expect(decoded['spec']).not.toHaveProperty('paused')
  })

  it.each([
    ['no prefix', '00000000', 'the prefix k8s'],
    ['a kind without a binary form', '6b3873000a090a0276311203546561', 'v1 Tea has no binary form here'],
    ['bytes that end early', '6b3873000aff', 'outside the bounds'],
  ])('fails with a message: %s', (_, hex, message) => {
    expect(() => decodeProtobuf(bytes(hex))).toThrow(message)
  })
})
