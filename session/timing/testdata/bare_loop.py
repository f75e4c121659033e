"""As bare_loop.c, with what people write in Python: MODEL THREADS SIZE."""

import os
import sys
import time

import numpy
import onnxruntime

model, threads, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = threads
options.log_severity_level = 3
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
binding = session.io_binding()
types = {"tensor(float)": (numpy.float32, 0.5), "tensor(int64)": (numpy.int64, 1)}
for i in session.get_inputs():
    shape = [d if isinstance(d, int) and d > 0 else size for d in i.shape]
    dtype, value = types[i.type]
    binding.bind_cpu_input(i.name, numpy.full(shape, value, dtype))
for o in session.get_outputs():
    binding.bind_output(o.name)

run, clock = session.run_with_iobinding, time.perf_counter_ns
for line in sys.stdin:
    runs, limit, place = map(int, line.split())
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(every)[place % len(every)]})
    os.sched_setaffinity(0, every)
    samples = []
    start = before = clock()
    while len(samples) < runs and before - start < limit:
        run(binding)
        after = clock()
        samples.append(after - before)
        before = after
    time.sleep(0 if threads == 1 else 0.04)
    print(*samples, flush=True)
