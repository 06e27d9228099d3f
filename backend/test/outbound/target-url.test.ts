import { expect, it } from '@jest/globals'
import { findTargetUrlIssue } from '../../platform/outbound/target-url.ts'

const online = { allowLoopbackWebhooks: false }
const local = { allowLoopbackWebhooks: true }

it.each([
  'https://hooks.zapier.com/hooks/standard/1/',
  'https://1.1.1.1/',
  'https://[2606:4700::1111]:8443/x?y=z',
])('accepts %s whether or not loopback webhooks are allowed', (url) => {
  expect(findTargetUrlIssue(online, url)).toBeUndefined()
  expect(findTargetUrlIssue(local, url)).toBeUndefined()
})

it.each([
  'http://localhost:8787/hook',
  'http://LOCALHOST./',
  'http://zap.localhost/',
  'http://127.0.0.1:3000/',
  'http://127.9.9.9/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'https://127.0.0.1./',
  'https://１２７.0.0.1/',
])('accepts the loopback URL %s only if loopback webhooks are allowed', (url) => {
  expect(findTargetUrlIssue(local, url)).toBeUndefined()
  expect(findTargetUrlIssue(online, url)).toMatch(/https|public/)
})

it.each([
  'https://0.0.0.0/',
  'https://0/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://0300.0250.1.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/',
  'https://192.0.2.1/',
  'https://198.18.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::10.0.0.1]/',
  'https://[64:ff9b::a00:1]/',
  'https://[64:ff9b:1::808:808]/',
  'https://[2002:a00:1::]/',
  'https://[2001:0:a00:1::]/',
  'https://[2001:db8::1]/',
  // An address of Azure's platform services.
  'https://168.63.129.16/',
  'https://[::ffff:168.63.129.16]/',
  // ISATAP addresses, which embed 10.0.0.1.
  'https://[2606:4700::5efe:a00:1]/',
  'https://[2606:4700::200:5efe:a00:1]/',
])('rejects %s, a private or reserved address, even if loopback webhooks are allowed', (url) => {
  expect(findTargetUrlIssue(online, url)).toMatch(/public/)
  expect(findTargetUrlIssue(local, url)).toMatch(/public/)
})

it('accepts a public host behind NAT64', () => {
  expect(findTargetUrlIssue(online, 'https://[64:ff9b::808:808]/')).toBeUndefined()
})

it.each([
  ['http://hooks.example.com/', /https/],
  ['http://10.0.0.1/', /https/],
  ['ftp://hooks.example.com/', /https/],
  ['file:///etc/passwd', /https/],
  ['javascript:alert(1)', /https/],
  ['https://user@hooks.example.com/', /password/],
  ['https://user:secret@hooks.example.com/', /password/],
  ['hooks.example.com', /isn't valid/],
  ['https://', /isn't valid/],
  ['https://256.1.1.1/', /isn't valid/],
  ['https://hooks.example.com/a b', /isn't valid/],
  ['https://hooks.example.com/\u0000', /isn't valid/],
  ['https://hooks.exam\nple.com/', /isn't valid/],
  [`https://hooks.example.com/${'語'.repeat(300)}`, /longer than 2000/],
])('rejects %j, and names the reason', (url, sentence) => {
  expect(findTargetUrlIssue(local, url)).toMatch(sentence)
})
