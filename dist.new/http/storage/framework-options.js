/**
 * What the storage routes want of the framework; for whoever makes the instance.
 * Bodies are coerced as the peer's are: a scalar for a list, a word for a number.
 */
export const STORAGE_FRAMEWORK_OPTIONS = {
    ajv: {
        customOptions: {
            keywords: [
                {
                    keyword: 'finite',
                    schemaType: 'boolean',
                    // null is let pass where the schema lets it
                    validate: (wanted, value) => !wanted || value === null || Number.isFinite(value),
                },
            ],
        },
    },
    // the longest bucket id anybody asks for is answered with "not found", and not by another route
    routerOptions: { maxParamLength: 2_500 },
};
