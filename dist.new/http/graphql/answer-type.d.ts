/** The two media types of a GraphQL answer (GraphQL over HTTP, section 5). */
export type AnswerType = 'application/graphql-response+json' | 'application/json';
/**
 * The type an Accept header asks for: `application/graphql-response+json` if it is preferred, or named first where both are
 * liked equally; else `application/json`, also for headers that accept neither.
 */
export declare function answerType(accept: string | undefined): AnswerType;
