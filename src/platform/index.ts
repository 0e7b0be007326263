/** The platform that this runs on. The build of the explorer's page puts its own here (page/build.ts). */
export { node as platform } from './node.js';
