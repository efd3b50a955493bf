import { expect, test } from 'vitest'
import { fileName } from '../../src/formats/file-name.js'

test.each<[what: string, uri: string | undefined, name: string]>([
  ['the last part of the address', 'https://a.example/b/report.pdf?x=/y#z', 'report.pdf'],
  ['its extension added', 'file:///b/report', 'report.pdf'],
  ['decoded', 'file:///r%C3%A9sum%C3%A9.PDF', 'résumé.PDF'],
  ['as it is where it can’t be decoded', 'file:///100%.pdf', '100_.pdf'],
  ['without what decoding hides in it', 'file:///a%E3%85%A4%E1%85%9F%F3%A0%81%A1b.pdf', 'ab.pdf'],
  ['in one piece', 'file:///a%2F..%2Fb%22%0D%0A.pdf', 'a_.._b___.pdf'],
  ['cut between characters', `file:///${'\u{1d4d0}'.repeat(200)}`, `${'\u{1d4d0}'.repeat(90)}.pdf`],
  ['something where there is nothing', 'file:///', 'file.pdf'],
  ['something where there is no address', undefined, 'file.pdf'],
])('a file’s name is %s', (_, uri, name) => {
  expect(fileName(uri, 'pdf')).toBe(name)
})
