import type { ObjectRecord } from '../../storage/rows/objects.sql.ts';
/** The members of a record as JSON, without the braces. The two JSON columns go through as PostgreSQL wrote them. */
export declare function recordText({ metadata, user_metadata, ...rest }: ObjectRecord): string;
