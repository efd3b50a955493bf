import { z } from 'zod'
import { CITIES, type City, findCity } from '../cities.js'
import { defineTool, errorResult, structuredResult } from '../tool.js'

const CONDITIONS = ['sunny', 'cloudy', 'rainy', 'snowy', 'windy'] as const
const DAY_MS = 86_400_000
const WARMEST_DAY_NORTH = 200

export const weather = defineTool({
  name: 'weather',
  title: 'Weather report',
  description:
    'An invented report that fits the city’s climate and the time of year. Returns structured content that follows an output schema.',
  input: z.object({
    city: z
      .enum(CITIES.map(({ name }) => name))
      .default('Lisbon')
      .meta({ title: 'City' }),
    unit: z.enum(['celsius', 'fahrenheit']).default('celsius').meta({ title: 'Unit' }),
    days: z.int().min(1).max(7).default(3).meta({ title: 'Days', description: 'How many days to forecast.' }),
  }),
  output: z.object({
    city: z.string(),
    country: z.string(),
    unit: z.enum(['celsius', 'fahrenheit']),
    forecast: z.array(
      z.object({
        date: z.iso.date(),
        low: z.number(),
        high: z.number(),
        conditions: z.enum(CONDITIONS),
        humidity: z.number().min(0).max(1),
      }),
    ),
  }),
  run: ({ city: name, unit, days }) => {
    const city = findCity(name)
    if (!city) return errorResult(`There is no report for ${name}.`)
    const today = Math.floor(Date.now() / DAY_MS)
    const forecast = Array.from({ length: days }, (_, index) => forecastFor(city, today + index, unit))
    return structuredResult({ city: city.name, country: city.country, unit, forecast })
  },
})

function forecastFor(city: City, day: number, unit: 'celsius' | 'fahrenheit') {
  const chance = chanceOf(city.name, day)
  const warmestDay = city.latitude < 0 ? WARMEST_DAY_NORTH + 182 : WARMEST_DAY_NORTH
  const season = Math.cos((2 * Math.PI * ((day % 365) - warmestDay)) / 365)
  const mean = city.climate.mean + city.climate.swing * season + (chance - 0.5) * 4
  const conditions = CONDITIONS[Math.floor(chance * CONDITIONS.length)] ?? 'sunny'
  const inUnit = (celsius: number) => Math.round(unit === 'celsius' ? celsius : celsius * 1.8 + 32)
  return {
    date: new Date(day * DAY_MS).toISOString().slice(0, 10),
    low: inUnit(mean - 4),
    high: inUnit(mean + 4),
    conditions: conditions === 'snowy' && mean > 4 ? 'rainy' : conditions,
    humidity: Math.round((0.4 + 0.5 * chance) * 100) / 100,
  }
}

/** From 0 up to 1; the same for the same city and day, so that two calls agree. */
function chanceOf(city: string, day: number): number {
  let hash = day
  for (const character of city) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0
  return (Math.imul(hash, 2_654_435_761) >>> 0) / 2 ** 32
}
