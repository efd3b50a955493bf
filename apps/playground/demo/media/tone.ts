const SAMPLE_RATE_HZ = 22_050
const BYTES_PER_SAMPLE = 2
const HEADER_BYTES = 44
const FADE_SECONDS = 0.02

/** Synthesizes a bell-like tone as a WAV file: mono, 16 bits, 22 050 Hz. */
export function synthesizeTone(frequencyHz: number, durationMs: number): Buffer {
  const samples = Math.round((SAMPLE_RATE_HZ * durationMs) / 1000)
  const wav = Buffer.alloc(HEADER_BYTES + samples * BYTES_PER_SAMPLE)
  writeHeader(wav)
  const durationSeconds = durationMs / 1000
  for (let index = 0; index < samples; index++) {
    const seconds = index / SAMPLE_RATE_HZ
    // Without a fade at both ends the speaker clicks.
    const edges = Math.min(1, seconds / FADE_SECONDS, (durationSeconds - seconds) / FADE_SECONDS)
    const envelope = edges * Math.exp((-3 * seconds) / durationSeconds)
    const turn = 2 * Math.PI * frequencyHz * seconds
    const wave = 0.7 * Math.sin(turn) + 0.2 * Math.sin(2 * turn) + 0.1 * Math.sin(3 * turn)
    wav.writeInt16LE(Math.round(0.6 * 32_767 * envelope * wave), HEADER_BYTES + index * BYTES_PER_SAMPLE)
  }
  return wav
}

function writeHeader(wav: Buffer): void {
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16) // length of the format block
  wav.writeUInt16LE(1, 20) // PCM
  wav.writeUInt16LE(1, 22) // channels
  wav.writeUInt32LE(SAMPLE_RATE_HZ, 24)
  wav.writeUInt32LE(SAMPLE_RATE_HZ * BYTES_PER_SAMPLE, 28)
  wav.writeUInt16LE(BYTES_PER_SAMPLE, 32)
  wav.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(wav.length - HEADER_BYTES, 40)
}
