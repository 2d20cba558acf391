import { createMemoryByteStore } from '../../src/bytes/memory.ts'
import { describeByteStore } from './byte-store.contract.ts'

describeByteStore('memory', async () => createMemoryByteStore())
