/**
 * Where a host lies, as far as its name or address tells. `link-local` stands for the metadata services of clouds too.
 * A public name may resolve to an inner address: only a fetch that resolves names itself can find that out.
 */
export type NetworkZone = 'public' | 'loopback' | 'private' | 'link-local'

/** RFC 6762 appendix G, RFC 8375, and what resolvers append. */
const innerName = /(^|\.)(local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/

/** Metadata services that lie outside 169.254.0.0/16: Alibaba, Azure, Oracle; Google's names and Amazon's. */
const metadataHosts = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'instance-data',
  'instance-data.ec2.internal',
])

/** What of IPv4 is no public host's: https://www.iana.org/assignments/iana-ipv4-special-registry */
const ipv4Zones: [base: string, bits: number, zone: NetworkZone][] = [
  // Connects to this machine on most systems.
  ['0.0.0.0', 32, 'loopback'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['0.0.0.0', 8, 'private'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'private'],
  ['192.0.2.0', 24, 'private'],
  ['192.88.99.0', 24, 'private'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'private'],
  ['198.51.100.0', 24, 'private'],
  ['203.0.113.0', 24, 'private'],
  ['224.0.0.0', 3, 'private'],
]

/** @param hostname - As `URL` gives it: in lower case, `127.1` and `0x7f000001` already written as 127.0.0.1. */
export function networkZone(hostname: string): NetworkZone {
  // `localhost.` is localhost.
  const host = hostname.replace(/\.$/, '')
  if (metadataHosts.has(host)) return 'link-local'
  if (host.startsWith('[')) return ipv6Zone(groupsOf(host.slice(1, -1)))
  if (/^\d+(\.\d+){3}$/.test(host)) return ipv4Zone(ipv4Number(host))
  if (/(^|\.)localhost$/.test(host)) return 'loopback'
  // A name without a dot is resolved by the local network.
  return innerName.test(host) || !host.includes('.') ? 'private' : 'public'
}

function ipv4Number(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0)
}

function ipv4Zone(address: number): NetworkZone {
  const block = ipv4Zones.find(([base, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(address / size) === Math.floor(ipv4Number(base) / size)
  })
  return block?.[2] ?? 'public'
}

/** What is no global unicast address is nobody's public host; addresses that hold one of IPv4 are that one. */
function ipv6Zone(groups: number[]): NetworkZone {
  const [a = 0, b = 0, c = 0, , , f = 0, g = 0, h = 0] = groups
  const startsWithZeros = (count: number) => groups.slice(0, count).every((group) => group === 0)
  if (startsWithZeros(7) && h <= 1) return 'loopback'
  const mapped = startsWithZeros(5) && (f === 0xffff || f === 0)
  const translated = a === 0x64 && b === 0xff9b && groups.slice(2, 6).every((group) => group === 0)
  if (mapped || translated) return ipv4Zone(g * 65_536 + h)
  if (a === 0x2002) return ipv4Zone(b * 65_536 + c)
  if ((a & 0xffc0) === 0xfe80 || (a === 0xfd00 && b === 0xec2)) return 'link-local'
  const special = (a === 0x2001 && (b < 0x200 || b === 0xdb8)) || (a === 0x3fff && b < 0x1000)
  return (a & 0xe000) === 0x2000 && !special ? 'public' : 'private'
}

function groupsOf(address: string): number[] {
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [head = '', tail] = address.split('::')
  if (tail === undefined) return numbers(head)
  const [before, after] = [numbers(head), numbers(tail)]
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
}
