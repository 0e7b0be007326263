import { createLambdaHandler } from 'darm/lambda';

// Lambda gives a function one request at a time, and that is one job, so one worker is enough.
export const handler = createLambdaHandler({ threads: 1, timeout: 25_000 });
