; A libdevice of one function, which is wrong for large quotients.
define float @__nv_fmodf(float %x, float %y) {
  %quotient = fdiv float %x, %y
  %whole = call float @llvm.trunc.f32(float %quotient)
  %product = fmul float %whole, %y
  %result = fsub float %x, %product
  ret float %result
}
declare float @llvm.trunc.f32(float)
