// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A packaged contraction from Rust: C[i][j] = sum over k of A[i][k] * B[k][j], with
// dynamic extents.
//
//   tc-compile --einsum='ik,kj->ij' --sizes='i=?,k=?,j=?' --name=product --dtype=f64 \
//     --emit=package -o product
//   rustc --edition=2021 product.rs -L product/lib -l tc_product -l tc-runtime \
//     -C link-arg=-Wl,-rpath,$PWD/product/lib

use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr::null_mut;

/// What the program needs of tc_product.h and tc-runtime/tc_runtime.h.
mod c {
    use super::*;
    extern "C" {
        pub fn tc_product(
            a: *const f64, b: *const f64, c: *mut f64,
            extent_i: i64, extent_k: i64, extent_j: i64,
            workspace: *mut c_void, workspace_bytes: usize, stream: *mut c_void,
        ) -> c_int;
        pub fn tc_product_workspace_size(
            extent_i: i64, extent_k: i64, extent_j: i64, bytes: *mut usize,
        ) -> c_int;
        pub fn tcLastError() -> *const c_char;
        pub fn tcDeviceOpen(
            kind: *const c_char, library: *const c_char, ordinal: c_int,
            device: *mut *mut c_void,
        ) -> c_int;
        pub fn tcDeviceClose(device: *mut c_void) -> c_int;
        pub fn tcAllocate(device: *mut c_void, bytes: usize, address: *mut u64) -> c_int;
        pub fn tcFree(device: *mut c_void, address: u64) -> c_int;
        pub fn tcCopyIn(device: *mut c_void, to: u64, from: *const c_void, bytes: usize) -> c_int;
        pub fn tcCopyOut(device: *mut c_void, to: *mut c_void, from: u64, bytes: usize) -> c_int;
    }
}

fn check(status: c_int) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    let words = unsafe { CStr::from_ptr(c::tcLastError()) };
    Err(format!("status {}: {}", status, words.to_string_lossy()))
}

fn to_device(device: *mut c_void, values: &[f64]) -> Result<u64, String> {
    let (mut address, bytes) = (0, std::mem::size_of_val(values));
    check(unsafe { c::tcAllocate(device, bytes, &mut address) })?;
    check(unsafe { c::tcCopyIn(device, address, values.as_ptr().cast(), bytes) })?;
    Ok(address)
}

fn multiply(device: *mut c_void, i: usize, k: usize, j: usize) -> Result<Vec<f64>, String> {
    let a: Vec<f64> = (0..i * k).map(|n| (n % 7) as f64).collect();
    let b: Vec<f64> = (0..k * j).map(|n| (n % 5) as f64).collect();
    let mut product = vec![0.0; i * j];
    let on_a = to_device(device, &a)?;
    let on_b = to_device(device, &b)?;
    let on_c = to_device(device, &product)?;
    let (i, k, j) = (i as i64, k as i64, j as i64);
    let mut bytes = 0;
    check(unsafe { c::tc_product_workspace_size(i, k, j, &mut bytes) })?;
    assert_eq!(bytes, 0, "this contraction needs no workspace");
    check(unsafe {
        c::tc_product(on_a as *const f64, on_b as *const f64, on_c as *mut f64,
                      i, k, j, null_mut(), 0, null_mut())
    })?;
    let size = std::mem::size_of_val(&product[..]);
    check(unsafe { c::tcCopyOut(device, product.as_mut_ptr().cast(), on_c, size) })?;
    for address in [on_a, on_b, on_c] {
        check(unsafe { c::tcFree(device, address) })?;
    }
    Ok(product)
}

fn main() -> Result<(), String> {
    let mut device = null_mut();
    check(unsafe { c::tcDeviceOpen(std::ptr::null(), std::ptr::null(), 0, &mut device) })?;
    let (i, k, j) = (33, 17, 20);
    let product = multiply(device, i, k, j)?;
    for (n, got) in product.iter().enumerate() {
        let expected: usize = (0..k).map(|q| ((n / j * k + q) % 7) * ((q * j + n % j) % 5)).sum();
        assert_eq!(*got, expected as f64, "at [{}][{}]", n / j, n % j);
    }
    println!("C[{}][{}] = {}", i - 1, j - 1, product[i * j - 1]);
    check(unsafe { c::tcDeviceClose(device) })
}
