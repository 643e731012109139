# RUN: env TC_BUILD=%tc_build TC_SOURCE=%tc_source PYTHONPATH=%S/Inputs %python %s
"""benchmarks/gpu/run on the emulator's driver library: what is right is timed, what is
wrong is refused with its error, and a run that was stopped goes on."""

import os
import subprocess
import sys
import unittest
from unittest import mock

import gpu_case
from gpu_case import BUILD, CHIP, DRIVER, SOURCE, GpuCase
from harness import bundle, plots, results
from harness.problem import Problem

MM, WIDE, CCSD = (f"{name}-{CHIP}-search" for name in ("mm-f32", "mm-f64", "ccsd-f32"))


class Run(GpuCase):
    def test_a_run_times_what_is_right(self):
        status, said = self.run_main()
        self.assertEqual(status, 0, said)
        run, rows = self.result(), self.rows()
        self.assertEqual((run["kind"], run["is_emulated"]), ("emulated", True))
        self.assertIn("its times say nothing about a GPU", said)
        self.assertTrue(run["finished"])
        self.assertEqual(run["bundle_commit"], "made-for-test")
        names = [("mm", "f32"), ("mm", "f64"), ("ccsd", "f32"), ("dot", "f32")]
        self.assertEqual(set(rows), {(*name, "tc") for name in names})
        self.check_plots(run)
        for row in rows.values():
            self.assertEqual(row["status"], "right")
            self.assertLessEqual(row["error"], row["tolerance"])
            self.assertLessEqual(row["lower_us"], row["time_us"])
            self.assertLessEqual(row["time_us"], row["upper_us"])
            self.assertAlmostEqual(row["share_of_floor"], row["floor_us"] / row["time_us"])
            self.assertEqual(row["form"], "ptx")  # The emulator takes no cubin.
            self.assertIn("kernel = fma", row["schedule"])
            self.assertGreater(row["predicted"]["seconds"], 0)
        self.assertGreater(rows["mm", "f32", "tc"]["error"], rows["mm", "f64", "tc"]["error"])
        self.assertGreater(run["ceilings"]["copy_bytes_per_second"], 0)

    def check_plots(self, run):
        """A run and its plots, end to end."""
        drawn = plots.plot_all(run, os.path.join(self.folder, "plots"))
        if drawn is not None:  # matplotlib is installed.
            self.assertEqual(len(drawn), 8)
            self.assertTrue(all(os.path.getsize(path) > 1000 for path in drawn))

    def test_several_launches_and_buffers_between_them(self):
        def check(kernels):
            plan = kernels[f"dot-f32-{CHIP}-search"]["plan"]
            self.assertEqual(len(plan["temporaries"]), 1)
            self.assertGreater(len({launch["kernel"] for launch in plan["launches"]}), 1)

        self.edit(check)
        self.run_main("--problems=dot")
        self.assertEqual(self.rows()["dot", "f32", "tc"]["status"], "right")

    def test_data_is_fresh_unless_a_seed_is_given(self):
        seeds, errors = set(), set()
        for options in ([], ["--seed=7"], ["--seed=7"]):
            self.run_main("--problems=mm", "--dtypes=f32", *options)
            seeds.add(self.result()["seed"])
            errors.add(self.rows()["mm", "f32", "tc"]["error"])
        self.assertEqual(len(seeds), 2)
        self.assertEqual(len(errors), 2)

    def test_missing_peers_are_listed(self):
        status, said = self.run_main("--problems=mm", "--dtypes=f32", contenders="tc,torch-einsum")
        self.assertEqual(status, 0)
        found = self.result()["contenders"]
        self.assertTrue(found["tc"]["found"])
        self.assertEqual(found["torch-einsum"], {"found": False, "why": "No module named 'torch'"})
        self.assertIn("missing: torch-einsum", said)

    def test_names_are_checked(self):
        for option, error in (
            ("--problems=nn", "expected names of the bundle's problems, got 'nn'"),
            ("--contenders=cublass", "got 'cublass'"),
            ("--dtypes=f16", "expected problems of these types in the bundle, found none"),
            ("--driver=/nowhere.so", "no driver"),
            ("--bundle=/nowhere", "expected a bundle in '/nowhere'"),
        ):
            status, said = self.run_main(option, contenders="")
            self.assertEqual(status, 2)
            self.assertIn(error, said)


class Refused(GpuCase):
    def refused(self, expected_status, why):
        status, said = self.run_main("--problems=mm", "--dtypes=f32")
        row = self.rows()["mm", "f32", "tc"]
        self.assertEqual(row["status"], expected_status)
        self.assertIn(why, row["why"])
        self.assertNotIn("time_us", row)
        self.assertEqual(status, 0 if expected_status == "unsupported" else 1)

    def test_a_wrong_result(self):
        def transpose(kernels):  # The extents of the two are the same.
            kernels[MM]["einsum"] = "mk,nk->mn"

        self.edit(transpose)
        self.refused("wrong", "by norm, got 1.")

    def test_results_that_are_not_written(self):
        def shorten(kernels):
            for launch in kernels[MM]["plan"]["launches"]:
                self.assertGreater(launch["grid"][0], 1)
                launch["grid"][0] -= 1

        self.edit(shorten)
        self.refused("wrong", "or were never written")

    def test_a_file_that_has_changed(self):
        with open(os.path.join(self.bundle, f"{MM}.ptx"), "a", encoding="utf-8") as file:
            file.write("// more\n")
        self.refused("failed", "expected the file that the manifest was made for")

    def test_another_layout(self):
        def pad(kernels):
            kernels[MM]["plan"]["arguments"][0]["strides"] = [32, 1]

        self.edit(pad)
        self.refused("unsupported", "expected a dense f32 array of [16, 16]")

    def test_another_chip(self):
        def move(kernels):
            kernels[MM]["chip"] = "sm_100a"

        self.edit(move)
        self.refused("unsupported", "no kernel for compute capability 90")


class Bundles(GpuCase):
    def make(self, problem, **options):
        return bundle.make(BUILD, self.bundle, [(problem, CHIP)], jobs=1, **options)

    def test_what_is_up_to_date_is_not_compiled_again(self):
        def refuse(*arguments):
            raise bundle.BundleError("compiled again")

        with mock.patch.object(bundle.Maker, "_run", refuse):
            self.assertEqual(self.make(gpu_case.MM), [])
            larger = Problem.make("mm", "mk,kn->mn", {"m": 16, "n": 16, "k": 17}, "f32", "mm")
            self.assertEqual(self.make(larger), ["compiled again"])
            os.remove(os.path.join(self.bundle, f"{CCSD}.ptx"))
            self.assertEqual(self.make(gpu_case.CCSD), ["compiled again"])

    def test_what_another_compiler_made_is_not_kept(self):
        path = os.path.join(self.bundle, bundle.MANIFEST)
        manifest = bundle.Bundle(self.bundle).manifest
        bundle.write_json(path, manifest | {"compiler_sha256": "another"})
        self.assertEqual(self.make(gpu_case.MM), [])
        self.assertEqual([k["id"] for k in bundle.Bundle(self.bundle).kernels], [MM])

    def test_kernels_are_counted_when_asked(self):
        self.assertEqual(self.make(gpu_case.MM, count=True), [])
        kernels = {kernel["id"]: kernel for kernel in bundle.Bundle(self.bundle).kernels}
        self.assertEqual(len(kernels), 4)
        self.assertGreater(kernels[MM]["counted"]["terms"]["f32"], 0)
        self.assertIsNone(kernels[CCSD]["counted"])

    def test_faults_have_the_name_of_the_kernel(self):
        wrong = Problem.make("odd", "mk,kn->mn", {"m": 16, "n": 16, "k": -1}, "f32", "mm")
        (fault,) = self.make(wrong)
        self.assertTrue(fault.startswith("odd-f32-sm_90a-search: "), fault)


class Stopped(GpuCase):
    def test_the_time_is_up(self):
        status, said = self.run_main("--minutes=0")
        self.assertEqual(status, 0)
        self.assertIn("4 of 4 problems are left", said)
        self.assertEqual(self.result()["rows"], [])
        self.assertFalse(self.result()["finished"])
        status, said = self.run_main("--resume")
        self.assertEqual(len(self.rows()), 4)
        self.assertTrue(self.result()["finished"])

    def test_what_is_done_is_not_done_again(self):
        self.run_main("--problems=mm")
        before = self.rows()
        started = self.result()["started"]

        def change(kernels):
            kernels[WIDE]["input_hash"] = "another"

        self.edit(change)
        status, said = self.run_main("--resume")
        self.assertIn("mm f32: done before", said)
        self.assertNotIn("mm f64: done before", said)
        after = self.rows()
        self.assertEqual(len(after), 4)
        self.assertEqual(after["mm", "f32", "tc"], before["mm", "f32", "tc"])
        self.assertEqual(after["mm", "f64", "tc"]["contender_version"], "another")
        self.assertEqual(self.result()["started"], started)

    def test_another_device_does_not_go_on(self):
        self.run_main("--problems=mm")
        run = self.result() | {"device": "another"}
        results.write_json(self.output, run)
        status, said = self.run_main("--resume")
        self.assertEqual(status, 2)
        self.assertIn("expected results of device 'tc emulator (sm_90)' to go on with", said)

    def test_a_fault_costs_one_row(self):
        """It makes the context useless, so a new process goes on."""

        def take_result_away(kernels):
            for launch in kernels[MM]["plan"]["launches"]:
                launch["arguments"][-1] = {"i64": 0}

        self.edit(take_result_away)
        command = [sys.executable, os.path.join(SOURCE, "benchmarks", "gpu", "run")]
        command += [f"--driver={DRIVER}", f"--bundle={self.bundle}", f"--output={self.output}"]
        run = subprocess.run(
            [*command, "--contenders=tc", "--minutes=5"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(run.stderr.count("the device is lost"), 1)
        rows = self.rows()
        self.assertEqual(rows["mm", "f32", "tc"]["status"], "failed")
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", rows["mm", "f32", "tc"]["why"])
        self.assertEqual(rows["mm", "f64", "tc"]["status"], "right")
        self.assertEqual(rows["ccsd", "f32", "tc"]["status"], "right")


if __name__ == "__main__":
    unittest.main()
