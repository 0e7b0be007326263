/** The hatching of idle lanes. A page with pictures of lanes has it once. */
export const LANE_PATTERN =
  '<svg class="hidden" width="0" height="0" aria-hidden="true"><defs>' +
  '<pattern id="idle-lanes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
  '<rect class="idle-ground" width="6" height="6"/><rect class="idle-line" width="1.4" height="6"/>' +
  '</pattern></defs></svg>';
