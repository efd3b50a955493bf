/**
 * The `resource` parameter: of the authorization, code and refresh requests alike, or of none of them. Some authorization
 * servers refuse any resource that they don't know.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8707#section-2}
 */
export function resourceParameter(
  { sendResource = true }: { sendResource?: boolean },
  resource: string,
): { resource?: string } {
  return sendResource ? { resource } : {}
}

/** What to do about an OAuth error that the parameter may be the cause of; empty for any other. */
export function resourceHint(code: string, description = ''): string {
  // Microsoft Entra says `invalid_request` or `invalid_scope`, with this number.
  const isCause = code === 'invalid_target' || /AADSTS9010010|\bresource\b/i.test(description)
  return isCause
    ? '; if the authorization server knows no "resource" parameter, set "sendResource" to false in "auth"'
    : ''
}
