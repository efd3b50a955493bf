export interface City {
  name: string
  country: string
  population: number
  latitude: number
  longitude: number
  /** Mean of the year, and half the difference between the warmest and the coldest month, in degrees Celsius. */
  climate: { mean: number; swing: number }
}

export const CITIES: readonly City[] = [
  city('Auckland', 'New Zealand', 1_470_000, -36.85, 174.76, 15, 4.5),
  city('Berlin', 'Germany', 3_700_000, 52.52, 13.4, 10, 9.5),
  city('Bogotá', 'Colombia', 7_900_000, 4.71, -74.07, 13.5, 0.5),
  city('Cairo', 'Egypt', 10_200_000, 30.04, 31.24, 22, 7.5),
  city('Cape Town', 'South Africa', 4_700_000, -33.92, 18.42, 17, 4.5),
  city('Lisbon', 'Portugal', 545_000, 38.72, -9.14, 17, 6),
  city('Nairobi', 'Kenya', 4_400_000, -1.29, 36.82, 18, 1.5),
  city('Oslo', 'Norway', 710_000, 59.91, 10.75, 6.5, 11),
  city('Reykjavík', 'Iceland', 140_000, 64.15, -21.94, 5, 5.5),
  city('São Paulo', 'Brazil', 11_450_000, -23.55, -46.63, 19.5, 3),
  city('Tokyo', 'Japan', 14_000_000, 35.68, 139.69, 16, 11),
  city('Zürich', 'Switzerland', 430_000, 47.37, 8.54, 9.5, 9.5),
]

function city(
  name: string,
  country: string,
  population: number,
  latitude: number,
  longitude: number,
  mean: number,
  swing: number,
): City {
  return { name, country, population, latitude, longitude, climate: { mean, swing } }
}

/** Finds a city by name; neither case nor accents matter. */
export function findCity(name: string): City | undefined {
  return CITIES.find((candidate) => plain(candidate.name) === plain(name))
}

/** Names that begin with what was typed so far; neither case nor accents matter. */
export function completeCity(typed: string): string[] {
  return CITIES.map(({ name }) => name).filter((name) => plain(name).startsWith(plain(typed)))
}

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
