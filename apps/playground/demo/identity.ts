const ICON = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
  '<rect width="32" height="32" rx="7" fill="#3a2c6e"/>',
  '<circle cx="21" cy="12" r="5" fill="#ffecaa"/>',
  '<path d="M0 22q8-7 16-2t16-3v8a7 7 0 0 1-7 7H7a7 7 0 0 1-7-7z" fill="#ff9a5c"/>',
  '</svg>',
].join('')

/** How the server introduces itself. */
export const IDENTITY = {
  name: 'demo',
  title: 'Demo server',
  version: '1.0.0',
  description: 'Tools, resources and prompts that show what an MCP client must handle.',
  icons: [
    {
      src: `data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}`,
      mimeType: 'image/svg+xml',
      sizes: ['any'],
    },
  ],
}

export const INSTRUCTIONS =
  'A demo server for trying out MCP clients. Its data are invented. ' +
  'Start with the echo and weather tools; add_tool changes the list of tools while you watch.'
