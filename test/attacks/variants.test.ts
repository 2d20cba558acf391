import { runAttacks } from './run-attacks.ts'

runAttacks(['storage variants', 'graphql variants', 'rates', 'growth'])
