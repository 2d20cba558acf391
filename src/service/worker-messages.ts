import type { Measurements } from '../observe/measurements.ts'
import type { Ground } from './open-ground.ts'

/** What a worker is told. */
export type ToWorker =
  | { readonly kind: 'serve'; readonly ground: Ground; readonly port: number }
  | { readonly kind: 'measure' }
  | { readonly kind: 'stop' }

/** What a worker tells. `failed` is a sentence for the operator; the worker ends after it, and after its `last` numbers. */
export type FromWorker =
  | { readonly kind: 'hello' }
  | { readonly kind: 'ready'; readonly baseUrl: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'measured' | 'last'; readonly measured: Measurements }
