import { GraphqlError } from './operation.js';
import { chooseOperation } from './parse-document.js';
/** What kind of operation a request asks for; null when it cannot be told, since the document or the choice is at fault. */
export function operationKind(request, parse) {
    try {
        return chooseOperation(parse(request.query).operations, request.operationName).operation;
    }
    catch (error) {
        if (error instanceof GraphqlError)
            return null;
        throw error;
    }
}
