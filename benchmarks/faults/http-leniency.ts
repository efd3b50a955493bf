import { type FaultScript, type FaultyControl, type HttpLeniency, keys, responseLength } from '@x/testkit/faulty'

/** What this runtime's `fetch` lets pass where HTTP allows it, found out with one garbled response for each. */
export async function measureLeniency(url: string, control: FaultyControl): Promise<HttpLeniency> {
  const script = (offset: number): FaultScript => ({ era: 'modern', form: 'json-chunked', fault: 'garble', offset })
  const length = responseLength(script(0))
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  const offsets: Record<keyof HttpLeniency, number> = {
    reason: 'HTTP/1.1 200 '.length,
    headEnd: head.length - 1,
    sizeEnd: head.length + 'nn\r'.length,
    dataEnd: length - '\r\n0\r\n\r\n'.length,
  }
  const lenient: Partial<HttpLeniency> = {}
  for (const [place, offset] of Object.entries(offsets)) {
    await control.begin({ [keys.call]: script(offset) })
    lenient[place as keyof HttpLeniency] = await passes(url, control)
  }
  return lenient as HttpLeniency
}

async function passes(url: string, control: FaultyControl): Promise<boolean> {
  const params = { name: 'run', arguments: { key: keys.call } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const answered = fetch(`${url}/modern/mcp`, { method: 'POST', body })
    .then((response) => response.json())
    .then(
      () => true,
      () => false,
    )
  await control.struck(keys.call)
  await control.release(keys.call)
  return answered
}
