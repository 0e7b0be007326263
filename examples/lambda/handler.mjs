import { createLambdaHandler } from 'darm/lambda';

// As many workers as the function has processors; a request of Lambda's is one job, so one is enough.
export const handler = createLambdaHandler({ threads: 1, timeout: 25_000 });
