; A libdevice without the function that is called.
define float @__nv_other(float %x) {
  ret float %x
}
