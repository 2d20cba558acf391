/**
 * The attacks that must be run, by group: stable numbers of the security catalogue this suite began with. Numbers from 101 up are our own and
 * stand in the catalogue alone.
 */
export const ATTACK_IDS: readonly string[] = [
  // tokens
  ...group('AU', '02 03 04 06 07 09 10 11 13 15 16 18 19 20 22 23 26'),
  // signed addresses
  ...group('SG', '01 02 03 05 06 08 09 11 12 14 15 17 19 20'),
  // buckets
  ...group('BK', '01 03 05 06 07 09 10 12 13'),
  // keys
  ...group('KY', '01 02 04 05 07 09 10 11 13 14 16 17 19 20 22 23 25 26 28 29 31'),
  // uploads
  ...group('UP', '01 03 04 07 08 09 10 12 14 15 16 18 20 21 22 24 25 27 28 31 32 33 35 36 37 39 40 42 44 45 46'),
  // ranges and conditions
  ...group('RG', '02 03 05 06 09 10 11 12 14 16 17 18'),
  // lists
  ...group('LS', '03 04 05 06 08 09 11 12 14 16'),
  // move, copy, delete
  ...group('MV', '01 02 05 06 07 08 10 11 13 15 16 17'),
  // injection
  ...group('SQ', '01 02 04 05 07 08 10 11'),
  // row security
  ...group('RL', '01 02 05 06 07 08 10 11 13 14 17 18 19 20 22'),
  // GraphQL documents
  ...group('GQ', '01 02 03 05 07 08 09 11 12 14 15 18 19 20 21 23 25 26 27 30 31 32 33 35 36 38 40 42 43 44 45 48 49 50 51 53'),
  // HTTP on the wire
  ...group('HT', '01 03 04 07 08 09 10 12 14 15 16 18 20 21 22 24 25 27 28 31 32'),
  // exhaustion
  ...group('RX', '02 03 04 05 07 08 10 12 13 14 16'),
  // operator and host
  ...group('OP', '01 03 05 06 07 09 10 12 14'),
]

function group(name: string, numbers: string): readonly string[] {
  return numbers.split(' ').map((number) => `${name}-${number}`)
}
