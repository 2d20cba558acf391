/** The roles that callers have, for a database whose cluster may know them already: roles belong to all databases of one. */
export const CREATE_ROLES = ['anon nologin', 'authenticated nologin', 'service_role nologin bypassrls']
  .map((role) => `do $$ begin create role ${role}; exception when duplicate_object or unique_violation then null; end $$;`)
  .join('\n')
