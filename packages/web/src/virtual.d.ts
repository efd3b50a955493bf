/** The bundled worker's text, put in by the build. */
declare module 'virtual:worker-source' {
  const source: string
  export default source
}
