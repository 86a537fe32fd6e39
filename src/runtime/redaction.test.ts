import { describe, expect, it } from 'vitest'
import { redactText } from './redaction.ts'

const head = 'eyJhbGciOiJIUzI1NiJ9'
const payload = 'eyJzdWIiOiIxMjM0In0'
const token = `${head}.${payload}.sig-na_ture`

describe('redactText', () => {
  it.each([
    [`the token ${token} is here`, 'the token [redacted] is here'],
    [`a=${token},b=${token}`, 'a=[redacted],b=[redacted]'],
    [`x-${token}`, 'x-[redacted]'],
    [`v1.${token}`, 'v1.[redacted]'],
    [`${token}.${token}`, '[redacted].[redacted]'],
    [`${head}.${payload}.`, '[redacted]'],
    [`${token} ${token}`, '[redacted] [redacted]'],
    ['Authorization: Bearer abc.def', 'Authorization: [redacted]'],
    [`Bearer ${token}`, '[redacted]'],
    ['Basic dXNlcjpwYXNz', '[redacted]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nmore', '[redacted]\nmore'],
    ['-----BEGIN PRIVATE KEY-----\nabc', '[redacted]'],
  ])('replaces the credential in %j', (text, expected) => {
    expect(redactText(text)).toBe(expected)
  })

  it.each([
    'carabiner-deployer-run.example.org.eyJ',
    `${head}.${payload}`,
    `monkeyJ${'a'.repeat(20)}.aaaaaaaaaa.b`,
    'a.b.c',
  ])('leaves %j as it is', (text) => {
    expect(redactText(text)).toBe(text)
  })

  it.each([
    'eyJ-',
    'eyJ-aaaaaaaa.',
    'eyJaaaaaaaa.',
    'Bearer ',
    'Basic ',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY',
    'a.',
    ' ',
  ])('takes linear time for a megabyte of %j, which a server chooses as its message', (part) => {
    const text = part.repeat(Math.ceil(1_000_000 / part.length))
    const started = performance.now()
    redactText(text)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
