import { setImmediate } from 'node:timers/promises'
import type { Turns } from '../std/in-turns.ts'

/** Long work lets other requests by every 10 ms. */
export const TURNS: Turns = { now: () => performance.now(), letOthersBy: setImmediate, turn: 10 }
