import { ServiceError } from '../../std/service-error.js';
import { apiKeyOf, bearerOf } from '../credentials.js';
/**
 * Who asks: the header `apiKey` is required and must be genuine; a session token beside it names the user and alone decides the
 * role, whether the key's is stronger or weaker.
 * @throws ServiceError 401 or 403
 */
export async function identifyCaller(request, authenticate) {
    const key = apiKeyOf(request.headers);
    if (!key)
        throw new ServiceError('MissingApiKey', 401, 'No API key found in request: send the header apiKey');
    const byKey = await authenticate(key);
    const bearer = bearerOf(request.headers, request.query);
    return bearer === null || bearer === key ? byKey : authenticate(bearer);
}
