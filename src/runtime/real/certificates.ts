/**
 * A certificate authority: X.509 v3 with P-256 keys, for TLS on loopback and for client certificates. Keys and certificates are PEM
 * text and are not stored here.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { isIP } from 'node:net'
import {
  bitString,
  boolean,
  type Der,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  time,
  utf8,
} from './der.ts'

export interface KeyPair {
  readonly cert: string
  readonly key: string
}

export interface Subject {
  readonly commonName: string
  readonly organizations?: readonly string[]
}

export interface Validity {
  /** @default one hour before now, to tolerate clock differences */
  readonly from?: number
  /** @default one year from now */
  readonly until?: number
}

export interface CertificateAuthority extends KeyPair {
  /** For servers: `names` are DNS names and IP addresses. */
  issueServer(subject: Subject & { readonly names: readonly string[] }, validity?: Validity): KeyPair
  /** For clients: Kubernetes reads the common name as the user, the organizations as groups. */
  issueClient(subject: Subject, validity?: Validity): KeyPair
}

const yearMs = 365 * 24 * 3_600_000
const oid = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
}

export function createAuthority(commonName: string, validity: Validity = {}): CertificateAuthority {
  const { key, spki } = newKey()
  const name = nameOf({ commonName })
  const extensions = [
    criticalExtension(oid.basicConstraints, sequence(boolean(true))),
    // digitalSignature, keyCertSign, cRLSign
    criticalExtension(oid.keyUsage, bitString(Uint8Array.of(0b1000_0110), 1)),
    extension(oid.subjectKey, octetString(keyId(spki))),
  ]
  const cert = certificate(
    { issuer: name, subject: name, spki, extensions, validity: { until: Date.now() + 10 * yearMs, ...validity } },
    key,
  )
  return loadAuthority({ cert, key })
}

/** Creates an authority from a stored certificate and key. */
export function loadAuthority(stored: KeyPair): CertificateAuthority {
  const spki = createPublicKey(stored.cert).export({ type: 'spki', format: 'der' })
  const issuer = subjectOf(stored.cert)
  const issue = (subject: Subject, usage: string, validity: Validity | undefined, more: Der[]): KeyPair => {
    const own = newKey()
    const extensions = [
      criticalExtension(oid.basicConstraints, sequence()),
      criticalExtension(oid.keyUsage, bitString(Uint8Array.of(0b1000_0000), 7)),
      extension(oid.extendedKeyUsage, sequence(objectIdentifier(usage))),
      extension(oid.authorityKey, sequence(implicit(0, keyId(spki)))),
      ...more,
    ]
    const parts = { issuer, subject: nameOf(subject), spki: own.spki, extensions, validity: validity ?? {} }
    return { cert: certificate(parts, stored.key), key: own.key }
  }
  return {
    ...stored,
    issueServer: (subject, validity) =>
      issue(subject, oid.serverAuth, validity, [
        extension(oid.alternativeNames, sequence(...subject.names.map(alternativeName))),
      ]),
    issueClient: (subject, validity) => issue(subject, oid.clientAuth, validity, []),
  }
}

function newKey(): { key: string; spki: Uint8Array } {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    spki: pair.publicKey.export({ type: 'spki', format: 'der' }),
  }
}

interface Parts {
  readonly issuer: Der
  readonly subject: Der
  readonly spki: Uint8Array
  readonly extensions: Der[]
  readonly validity: Validity
}

function certificate(parts: Parts, signer: string): string {
  const algorithm = sequence(objectIdentifier(oid.ecdsaWithSha256))
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const from = parts.validity.from ?? Date.now() - 3_600_000
  const until = parts.validity.until ?? Date.now() + yearMs
  const body = sequence(
    tagged(0, integer(Uint8Array.of(2))),
    integer(serial),
    algorithm,
    parts.issuer,
    sequence(time(from), time(until)),
    parts.subject,
    parts.spki,
    tagged(3, sequence(...parts.extensions)),
  )
  const signature = sign('sha256', body, createPrivateKey(signer))
  const whole = sequence(body, algorithm, bitString(signature))
  const lines =
    Buffer.from(whole)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function nameOf({ commonName, organizations = [] }: Subject): Der {
  const attribute = (type: string, value: string): Der => sequence(objectIdentifier(type), utf8(value))
  const sets = organizations.map((name) => set(attribute(oid.organization, name)))
  return sequence(...sets, set(attribute(oid.commonName, commonName)))
}

/** Reads only common name and organizations: authorities created here have nothing else. */
function subjectOf(cert: string): Der {
  const { subject } = new X509Certificate(cert)
  const lines = subject.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
  return nameOf({
    commonName: lines.find(([type]) => type === 'CN')?.[1] ?? '',
    organizations: lines.filter(([type]) => type === 'O').map(([, value]) => value ?? ''),
  })
}

function alternativeName(name: string): Der {
  const family = isIP(name)
  if (family === 0) return implicit(2, Buffer.from(name))
  return implicit(7, family === 4 ? Uint8Array.from(name.split('.').map(Number)) : sixteenBytes(name))
}

function sixteenBytes(address: string): Uint8Array {
  const [head = '', tail] = address.split('::')
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const before = groups(head)
  const after = tail === undefined ? [] : groups(tail)
  const all = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

function extension(type: string, value: Der): Der {
  return sequence(objectIdentifier(type), octetString(value))
}

function criticalExtension(type: string, value: Der): Der {
  return sequence(objectIdentifier(type), boolean(true), octetString(value))
}

function keyId(spki: Uint8Array): Uint8Array {
  return createHash('sha1').update(spki).digest()
}
