import { expect, test } from 'vitest'
import { PacketReader } from '../../src/pg/packet-reader.ts'
import { PacketWriter } from '../../src/pg/packet-writer.ts'

type Message = readonly [type: string, body: string]

const bytesOf = (messages: readonly Message[]): Buffer =>
  Buffer.concat(
    messages.map(([type, body]) => {
      const text = Buffer.from(body)
      const header = Buffer.alloc(5)
      header.write(type)
      header.writeInt32BE(text.length + 4, 1)
      return Buffer.concat([header, text])
    }),
  )

function readIn(pieces: readonly Buffer[]): Message[] {
  const seen: Message[] = []
  const reader = new PacketReader((type, bytes, start, end) => seen.push([String.fromCharCode(type), bytes.toString('utf8', start, end)]))
  for (const piece of pieces) reader.read(piece)
  return seen
}

const MESSAGES: readonly Message[] = [
  ['1', ''],
  ['2', ''],
  ['D', 'a row with ü'],
  ['D', 'x'.repeat(50)],
  ['C', 'SELECT 2\0'],
  ['Z', 'I'],
]

test('messages are found however the bytes are cut', () => {
  const bytes = bytesOf(MESSAGES)
  expect(readIn([bytes])).toEqual(MESSAGES)
  expect(readIn(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(MESSAGES)
  for (let a = 0; a <= bytes.length; a++) {
    for (let b = a; b <= bytes.length; b += 3) {
      expect(readIn([bytes.subarray(0, a), bytes.subarray(a, b), bytes.subarray(b)])).toEqual(MESSAGES)
    }
  }
})

test('a length that no message has is refused', () => {
  expect(() => readIn([Buffer.from([0x44, 0, 0, 0, 3])])).toThrow(RangeError)
  expect(() => readIn([Buffer.from([0x44, 0xff]), Buffer.from([0xff, 0xff, 0xff])])).toThrow(RangeError)
})

test('what is written is what PostgreSQL reads, short and long', () => {
  for (const text of ['', 'short', 'ü'.repeat(3_000), 'x'.repeat(5_000), 'ä€\u{1f469}'.repeat(50_000)]) {
    const writer = new PacketWriter()
    writer.parse('s1', `select '${text}'`)
    writer.bind('s1', [text, null, ''])
    writer.execute()
    writer.closeStatement('s0')
    writer.sync()
    const value = (of: string) => {
      const size = Buffer.alloc(4)
      size.writeInt32BE(Buffer.byteLength(of))
      return size.toString('latin1') + Buffer.from(of).toString('latin1')
    }
    const packet = writer.take()
    const seen: Message[] = []
    new PacketReader((type, bytes, start, end) => seen.push([String.fromCharCode(type), bytes.toString('latin1', start, end)])).read(packet)
    expect(seen.map(([type]) => type)).toEqual(['P', 'B', 'E', 'C', 'S'])
    expect(seen[0]?.[1]).toBe(`s1\0${Buffer.from(`select '${text}'`).toString('latin1')}\0\0\0`)
    expect(seen[1]?.[1]).toBe(`\0s1\0\0\0\0\u0003${value(text)}\u00ff\u00ff\u00ff\u00ff${value('')}\0\0`)
    expect(seen[3]?.[1]).toBe('Ss0\0')
    expect(writer.take()).toHaveLength(0)
  }
})
