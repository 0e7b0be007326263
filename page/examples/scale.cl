// OpenCL C: two scalings chosen by the data. Both sides read and write local memory.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void scale(__global float *out, __global const float *in, float low, float high) {
  __local float left[64], right[64];
  const uint local_id = get_local_id(0);
  const uint id = get_global_id(0);
  left[local_id] = in[id];
  right[local_id] = in[id] * 0.5f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 0; step < 8; ++step) {
    if (in[id] + step > 4.0f) {
      float value = left[local_id];
      value = value * low + 1.0f;
      left[local_id] = value * value - low;
    } else {
      float value = right[local_id];
      value = value * high + 2.0f;
      right[local_id] = value * value - high;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[id] = left[local_id] + right[local_id ^ 1];
}
