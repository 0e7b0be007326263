/**
 * LLVM's address spaces of AMDGPU. NVPTX has the same numbers for those that matter here (global, shared, constant,
 * local).
 */
export const AddressSpace = {
  Flat: 0,
  Global: 1,
  Region: 2,
  Local: 3,
  Constant: 4,
  Private: 5,
  Constant32: 6,
} as const;
