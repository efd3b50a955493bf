import { expect, test } from 'vitest'
import { estimateTokens } from '../../src/content/tokens.js'

// Counted by the public encoding o200k_base.
test.each<[what: string, text: string, counted: number]>([
  ['English', 'The quick brown fox jumps over the lazy dog, and nobody in the whole village has noticed it.', 20],
  ['code', 'export function add(first: number, second: number): number {\n  return first + second\n}\n', 20],
  [
    'JSON',
    '{"userId":4711,"displayName":"Ada","roles":["admin","editor"],"active":true,"createdAt":"2026-12-01T00:00:00Z"}',
    40,
  ],
  ['a log line', '2026-12-01T00:12:31.044Z INFO [worker-7] GET /api/v1/users/259 status=200 duration=12ms', 36],
  ['Russian', 'Сегодня утром в городе прошёл сильный дождь, и многие улицы оказались затоплены.', 21],
  ['Hebrew', 'הבוקר ירד גשם כבד בעיר ורחובות רבים הוצפו.', 18],
  ['Arabic', 'هطلت أمطار غزيرة هذا الصباح على المدينة وغمرت المياه العديد من الشوارع.', 21],
  ['Hindi', 'आज सुबह शहर में भारी बारिश हुई और कई सड़कें पानी में डूब गईं।', 18],
  ['Chinese', '今天早上城里下了大雨，许多街道被水淹没。', 20],
  ['Japanese', '今朝、市内で大雨が降り、多くの道路が冠水した。', 19],
  ['Korean', '오늘 아침 도시에 폭우가 내려 많은 거리가 침수되었습니다.', 16],
  ['emoji', '👍 🎉 😀 🚀🔥', 7],
])('%s is estimated within a half', (_, text, counted) => {
  expect(estimateTokens(text)).toBeGreaterThan(counted / 1.6)
  expect(estimateTokens(text)).toBeLessThan(counted * 1.6)
})

test('a value is what its JSON is; a text is itself', () => {
  const value = { a: [1, 'two', null] }
  expect(estimateTokens(value)).toBe(estimateTokens(JSON.stringify(value)))
  expect(estimateTokens('')).toBe(0)
  expect(estimateTokens(null)).toBeGreaterThan(0)
})

test('a value may be of any depth', () => {
  expect(estimateTokens(JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`))).toBeGreaterThan(1_000)
})
