import '@x/web/worker'
