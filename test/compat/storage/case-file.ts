/** The recorded answers of the peer, as their files hold them. */

export type CaseFile = {
  readonly topic: string
  readonly cases: readonly Case[]
  /** private keys that steps sign tokens with */
  readonly keys?: Readonly<Record<string, object>>
  /** what the peer's server was started with, in its own names */
  readonly settings?: Readonly<Record<string, string>>
}

export type Case = {
  readonly id: string
  readonly about: string
  readonly buckets?: readonly (string | { readonly name: string; readonly id?: string })[]
  readonly objects?: readonly CaseObject[]
  /** buckets to remove beside those named `orc…` and the case's own */
  readonly cleanup?: readonly string[]
  /** milliseconds after each object */
  readonly gap?: number
  readonly tags?: readonly string[]
  readonly steps: readonly Step[]
}

export type CaseObject = Content & {
  readonly bucket: string
  readonly key: string
  readonly type?: string
  readonly as?: string
  /** so many of them; `${i}` in the key counts */
  readonly times?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A body, in one of its forms. */
export type Content = {
  readonly text?: string
  readonly base64?: string
  readonly random?: { readonly bytes: number; readonly seed: number }
  readonly json?: unknown
}

export type Part = Content & { readonly name: string; readonly value?: string; readonly filename?: string; readonly type?: string }

export type Step = Content & {
  readonly as?: string
  readonly method?: string
  readonly path?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string | null>>
  readonly multipart?: readonly Part[]
  readonly chunked?: boolean
  /** names for values of the answer: `body.a.b` or `headers.x` */
  readonly save?: Readonly<Record<string, string>>
  readonly mint?: Readonly<Record<string, MintedToken>>
  readonly wait?: number
  readonly sql?: string
  readonly view?: 'names'
  readonly unordered?: boolean
  readonly keep?: 'status' | 'headers'
  readonly claims?: string
  /** why the peer's answer looks like a fault */
  readonly quirk?: string
  readonly expect?: Expectation
  readonly or?: readonly Expectation[]
}

export type MintedToken = {
  readonly claims: Readonly<Record<string, unknown>>
  readonly secret?: string
  readonly alg?: string
  readonly kid?: string
  /** a key of the file */
  readonly jwk?: string
}

export type Expectation = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly absent?: readonly string[]
  readonly body?: unknown
  readonly text?: string
  readonly bytes?: { readonly length: number; readonly sha256: string }
  readonly claims?: unknown
  readonly rows?: readonly unknown[]
  readonly error?: string
}
