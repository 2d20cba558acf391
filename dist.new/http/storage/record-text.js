/** The members of a record as JSON, without the braces. The two JSON columns go through as PostgreSQL wrote them. */
export function recordText({ metadata, user_metadata, ...rest }) {
    return `${JSON.stringify(rest).slice(1, -1)},"metadata":${metadata ?? 'null'},"user_metadata":${user_metadata ?? 'null'}`;
}
