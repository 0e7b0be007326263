// What first compilations of OpenCL use: build.sh traces which of clang's functions run.
kernel void mix4(global float4 *out, global const float *in, local float *part, float scale) {
  size_t at = get_global_id(0);
  part[get_local_id(0)] = in[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 value = out[at].xyzw * scale;
  if (at & 1)
    value += native_sin(value.wzyx);
  else
    value = fmax(value, (float4)(part[get_local_size(0) - 1 - get_local_id(0)]));
  for (int i = 0; i < 4; i++)
    value = mad(value, value, convert_float4(convert_int4(value)));
  out[at] = value;
}
