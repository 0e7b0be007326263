// Two kernels for NVIDIA's target (nvptx64, sm_70), device side only, without CUDA's headers or libraries.
//
//   quantize    a data-dependent diamond on global memory (the paper's DCT: positive and negative values go different ways)
//   threshold   an if-then region on either side of a branch on the thread's id, on shared memory (SB2's shape), in a loop
//
// Inside the branches a thread touches only its own elements; its neighbour's it reads after a barrier.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

#define SIZE 64

extern "C" __global__ void quantize(float *plane, float step) {
  const unsigned i = __nvvm_read_ptx_sreg_ctaid_x() * SIZE + __nvvm_read_ptx_sreg_tid_x();
  const float value = plane[i];
  if (value < 0.0f) {
    float a = step * 0.5f - value;
    a = a * 0.25f + step;
    a = a * a - value;
    plane[i] = a * -step;
  } else {
    float a = step * 0.5f + value;
    a = a * 0.125f + step;
    a = a * a - step;
    plane[i] = a * step;
  }
}

extern "C" __global__ void threshold(unsigned *out, const unsigned *in, unsigned rounds) {
  __shared__ unsigned left[2][SIZE];
  __shared__ unsigned right[2][SIZE];
  const unsigned tid = __nvvm_read_ptx_sreg_tid_x();
  const unsigned i = __nvvm_read_ptx_sreg_ctaid_x() * SIZE + tid;
  left[0][tid] = in[i];
  left[1][tid] = in[i] + 1;
  right[0][tid] = in[i];
  right[1][tid] = in[i] ^ 1;
  __syncthreads();

#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
    if ((tid + round) & 1) {
      if (left[0][tid] > left[1][tid]) {
        unsigned a = left[0][tid] * 5 + round;
        unsigned b = left[1][tid] ^ a;
        a ^= b >> 3;
        left[0][tid] = a;
        left[1][tid] = b * 9;
      }
    } else {
      if (right[0][tid] < right[1][tid]) {
        unsigned a = right[0][tid] * 5 + round;
        unsigned b = right[1][tid] ^ a;
        a ^= b >> 3;
        right[0][tid] = a;
        right[1][tid] = b * 9;
      }
    }
    __syncthreads();
  }

  out[i] = left[0][tid] + left[1][tid] - (right[0][tid ^ 1] ^ right[1][tid ^ 1]);
}
