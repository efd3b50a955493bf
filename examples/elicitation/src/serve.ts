import { startEndpoint } from './endpoint.js'

const { PORT = '3200', PUBLIC_URL = 'https://booking.example' } = process.env
const { url } = await startEndpoint(Number(PORT), PUBLIC_URL)
console.log(`The booking server is at ${url}`)
