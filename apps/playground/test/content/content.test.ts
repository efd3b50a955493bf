import { describe, expect, test } from 'vitest'
import { fileName } from '../../src/content/file-name.js'
import { parseShownJson } from '../../src/content/shown-json.js'
import { isWebUrl } from '../../src/content/web-link.js'

test.each(['javascript:alert(1)', 'data:text/html,<script>', 'file:///etc/passwd', 'demo://readme', 'not a URL'])(
  '%s is no link',
  (url) => {
    expect(isWebUrl(url)).toBe(false)
  },
)

test('only a web page’s URL is a link', () => {
  expect(isWebUrl('https://example.com/a')).toBe(true)
  expect(isWebUrl('HTTP://example.com/a')).toBe(true)
})

describe('the name of a download', () => {
  test.each([
    ['demo://a/picture.png?x=1', 'image/png', 'picture.png'],
    ['image', 'image/png', 'image.png'],
    ['demo://a/report', 'application/pdf; v=1', 'report.pdf'],
    ['demo://a/data', undefined, 'data.bin'],
    ['', undefined, 'download.bin'],
  ])('of %s as %s is %s', (source, mimeType, name) => {
    expect(fileName(source, mimeType)).toBe(name)
  })

  test('names no folder and no hidden file', () => {
    expect(fileName('demo://x/..%2f..%2f.bashrc', undefined)).not.toMatch(/^\.|[/\\%]/)
  })
})

describe('text that is JSON', () => {
  test('can be shown as a tree', () => {
    expect(parseShownJson(' {"a": [1]}')).toEqual({ value: { a: [1] } })
  })

  test('is only an object or an array', () => {
    expect(parseShownJson('12')).toBeUndefined()
    expect(parseShownJson('{not json')).toBeUndefined()
  })

  test('stays text where parsing it would be felt', () => {
    expect(parseShownJson(`[${'1,'.repeat(600_000)}1]`)).toBeUndefined()
  })
})
