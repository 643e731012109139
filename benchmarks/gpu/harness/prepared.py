"""The launches of a function, on arrays of its own."""

import math

from . import data
from .contenders import Buffers, PreparedLaunches

ITEM_BYTES = {"f32": 4, "f64": 8, "i64": 8, "index": 8, "f16": 2, "bf16": 2, "i32": 4}


class PreparedProgram(PreparedLaunches):
    """The launches of one function on so many sets of its arrays that L2 holds none. Floats are
    random, integers 0; results are not looked at."""

    def __init__(self, clock, filler, binary, plan):
        driver, self.owned = clock.driver, []
        sizes = [
            ITEM_BYTES[a["dtype"]] * math.prod(a["shape"], start=1) for a in plan["arguments"]
        ]
        sets = []
        for _ in range(clock.sets_for(sum(sizes), driver.free_bytes())):
            arrays = [driver.allocate(size) for size in sizes]
            self.owned += arrays
            for place, size, argument in zip(arrays, sizes, plan["arguments"]):
                if argument["dtype"] in ("f32", "f64"):
                    key = data.make_key(0, len(self.owned))
                    count = size // ITEM_BYTES[argument["dtype"]]
                    filler.fill(place, count, key, argument["dtype"])
                else:  # Subscripts: all of the first element.
                    driver.set_words(place, 0, size)
            sets.append(Buffers(arrays, None))
        super().__init__(driver, driver.load(binary), plan, sets)

    def free(self):
        super().free()
        for place in self.owned:
            self.driver.free(place)
