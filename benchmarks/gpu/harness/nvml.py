"""Clocks, temperature and power by NVML, where it is there. Nothing depends on it."""

import ctypes

_SM_CLOCK, _MEMORY_CLOCK, _CORE = 1, 2, 0


class Monitor:
    """The state of one device. `why` says why there is none."""

    def __init__(self, bus_id, library="libnvidia-ml.so.1"):
        self.why, self.library, self.handle = "", None, ctypes.c_void_p()
        try:
            nvml = ctypes.CDLL(library)
            code = nvml.nvmlInit_v2() or nvml.nvmlDeviceGetHandleByPciBusId_v2(
                bus_id.encode(), ctypes.byref(self.handle)
            )
        except (OSError, AttributeError) as error:
            self.why = str(error)
            return
        if code:
            self.why = f"NVML returned {code}"
            return
        self.library = nvml

    def _ask(self, call, *arguments):
        value = ctypes.c_uint()
        function = getattr(self.library, call, None)
        if function is None or function(self.handle, *arguments, ctypes.byref(value)):
            return None
        return value.value

    def read(self):
        """The state now; values that are not known are None."""
        if self.library is None:
            return None
        power = self._ask("nvmlDeviceGetPowerUsage")
        return {
            "sm_mhz": self._ask("nvmlDeviceGetClockInfo", _SM_CLOCK),
            "memory_mhz": self._ask("nvmlDeviceGetClockInfo", _MEMORY_CLOCK),
            "celsius": self._ask("nvmlDeviceGetTemperature", _CORE),
            "watts": None if power is None else power / 1000,
        }
