export * from '@x/core/google'
