export * from '@x/core/openai'
