import { GraphqlError, type GraphqlRequest } from './operation.ts'
import { chooseOperation, type ParsedDocument } from './parse-document.ts'

/** What kind of operation a request asks for; null when it cannot be told, since the document or the choice is at fault. */
export function operationKind(
  request: GraphqlRequest,
  parse: (text: string) => ParsedDocument,
): 'query' | 'mutation' | 'subscription' | null {
  try {
    return chooseOperation(parse(request.query).operations, request.operationName).operation
  } catch (error) {
    if (error instanceof GraphqlError) return null
    throw error
  }
}
