import { runAttacks } from './run-attacks.ts'

runAttacks(['buckets', 'keys', 'uploads', 'ranges', 'lists', 'moves'])
