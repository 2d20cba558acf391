import { type Answer, type Conversation, headerOf, jsonOf } from './raw.ts'

/** What must come of an attack: in words, and as a test of what was heard. */
export type Outcome = { readonly says: string; readonly fits: (heard: Conversation) => boolean }

const ofAnswer = (says: string, fits: (answer: Answer) => boolean): Outcome => ({
  says,
  fits: ({ answers: [first, ...others] }) => first !== undefined && others.length === 0 && fits(first),
})

type StorageError = { readonly statusCode: string; readonly error: string; readonly message: string; readonly code: string }

/** The body of a storage error, or null for another shape: three members that every client reads one of, and a code. */
export function storageError(answer: Answer): StorageError | null {
  const body = jsonOf(answer) as Partial<StorageError> | null | undefined
  const fits =
    typeof body?.statusCode === 'string' &&
    typeof body.error === 'string' &&
    typeof body.message === 'string' &&
    typeof body.code === 'string'
  return fits ? (body as StorageError) : null
}

/** HTTP 400 with the true status in the body, as the peer folds it; `codes`: any of these. */
export const folded = (status: number, ...codes: readonly string[]): Outcome =>
  ofAnswer(`400/${status} ${codes.join('|')}`, (answer) => {
    const error = storageError(answer)
    return answer.status === 400 && error?.statusCode === String(status) && (codes.length === 0 || codes.includes(error.code))
  })

/** A storage error that keeps its own status. */
export const unfolded = (status: number, ...codes: readonly string[]): Outcome =>
  ofAnswer(`${status} ${codes.join('|')}`, (answer) => {
    const error = storageError(answer)
    return answer.status === status && error?.statusCode === String(status) && (codes.length === 0 || codes.includes(error.code))
  })

/** These statuses, with whatever body. */
export const status = (...statuses: readonly number[]): Outcome =>
  ofAnswer(statuses.join('|'), (answer) => statuses.includes(answer.status))

export const OK = status(200)

export const json = (says: string, fits: (body: unknown, answer: Answer) => boolean): Outcome =>
  ofAnswer(`200 ${says}`, (answer) => answer.status === 200 && fits(jsonOf(answer), answer))

export const text = (wanted: string): Outcome =>
  ofAnswer(
    `200 with the body ${JSON.stringify(wanted.slice(0, 60))}`,
    (answer) => answer.status === 200 && answer.body.toString() === wanted,
  )

/** A refused request of the framework or the parser: a status, JSON, and the connection closed. */
export const refusedAndClosed = (...statuses: readonly number[]): Outcome => ({
  says: `${statuses.join('|')} and the connection closed, and no second answer`,
  fits: ({ answers, ended }) => answers.length === 1 && statuses.includes(answers[0]?.status ?? 0) && ended !== 'still open',
})

/** No answer: the connection is closed. */
export const CLOSED: Outcome = {
  says: 'closed without an answer',
  fits: ({ answers, ended }) => answers.length === 0 && ended !== 'still open',
}

type GraphqlBody = { readonly data?: unknown; readonly errors?: readonly { readonly message: string }[] }

export const graphqlBody = (answer: Answer | undefined): GraphqlBody => ((answer && jsonOf(answer)) ?? {}) as GraphqlBody
export const messagesOf = (answer: Answer | undefined): readonly string[] =>
  (graphqlBody(answer).errors ?? []).map(({ message }) => message)

/** 200 with errors and no data; `words`: in one of the messages. */
export const graphqlError = (words: RegExp = /./): Outcome =>
  ofAnswer(`200 with a GraphQL error ${words}`, (answer) => {
    const { data } = graphqlBody(answer)
    const messages = messagesOf(answer)
    return answer.status === 200 && (data === undefined || data === null) && messages.some((message) => words.test(message))
  })

/** 200 with data and no errors. */
export const graphqlData = (says = 'data', fits: (data: Record<string, unknown>) => boolean = () => true): Outcome =>
  ofAnswer(`200 with ${says}`, (answer) => {
    const { data, errors } = graphqlBody(answer)
    return (
      answer.status === 200 && errors === undefined && typeof data === 'object' && data !== null && fits(data as Record<string, unknown>)
    )
  })

export const either = (...outcomes: readonly Outcome[]): Outcome => ({
  says: outcomes.map(({ says }) => says).join(', or '),
  fits: (heard) => outcomes.some(({ fits }) => fits(heard)),
})

export const both = (...outcomes: readonly Outcome[]): Outcome => ({
  says: outcomes.map(({ says }) => says).join(', and '),
  fits: (heard) => outcomes.every(({ fits }) => fits(heard)),
})

export const header = (name: string, value: RegExp | null): Outcome =>
  ofAnswer(`${name}: ${value ?? 'absent'}`, (answer) => {
    const given = headerOf(answer, name)
    return value === null ? given === undefined : given !== undefined && value.test(given)
  })

/** What was heard, in a line or two. */
export function show({ answers, ended, received }: Conversation): string {
  if (answers.length === 0) return `no answer, ${ended}${received.length > 0 ? `: ${received.subarray(0, 200).toString('latin1')}` : ''}`
  return (
    answers.map((answer) => `${answer.status}${answer.cut ? ' (cut)' : ''} ${answer.body.subarray(0, 400).toString()}`).join('\n') +
    ` (${ended})`
  )
}
