/** This package's version, as servers are told it. */
export const version = '0.0.1'
