import { expect, test } from 'vitest'
import { expandTemplate, variablesOf } from '../../src/views/resources/uri-template.js'

// The variables and results of RFC 6570, section 1.2, levels 1 to 4, for variables that are texts.
const values = { var: 'value', hello: 'Hello World!', path: '/foo/bar', empty: '', x: '1024', y: '768', half: '50%' }

test.each([
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['{half}', '50%25'],
  ['O{empty}X', 'OX'],
  ['O{undef}X', 'OX'],
  ['{+var}', 'value'],
  ['{+hello}', 'Hello%20World!'],
  ['{+path}/here', '/foo/bar/here'],
  ['here?ref={+path}', 'here?ref=/foo/bar'],
  ['X{#var}', 'X#value'],
  ['X{#hello}', 'X#Hello%20World!'],
  ['map?{x,y}', 'map?1024,768'],
  ['{x,hello,y}', '1024,Hello%20World%21,768'],
  ['{+path,x}/here', '/foo/bar,1024/here'],
  ['X{.var}', 'X.value'],
  ['X{.x,y}', 'X.1024.768'],
  ['{/var}', '/value'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{;x,y}', ';x=1024;y=768'],
  ['{;x,y,empty}', ';x=1024;y=768;empty'],
  ['{?x,y}', '?x=1024&y=768'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{&x,y,empty}', '&x=1024&y=768&empty='],
  ['{var:3}', 'val'],
  ['{?var:3}', '?var=val'],
  ['{/var*}', '/value'],
])('%s is %s', (template, uri) => {
  expect(expandTemplate(template, values)).toBe(uri)
})

test('a percent-encoded triplet goes through a reserved expansion as it is', () => {
  expect(expandTemplate('{+a}', { a: '%20[x]' })).toBe('%20[x]')
})

test('each variable is asked for once, in order', () => {
  expect(variablesOf('a://{b}/{+c*}{?b,d:3}')).toEqual(['b', 'c', 'd'])
})
