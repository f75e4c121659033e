"""Times onnxruntime-genai as bare_loop.py times onnxruntime: FOLDER TEST DEPTH LENGTH THREADS.

TEST is pp (prompts of LENGTH tokens) or tg (LENGTH tokens, one after the other), at DEPTH positions.
"""

import json
import os
import sys
import time

import numpy
import onnxruntime_genai as og

folder, test, depth, length, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
config = og.Config(folder)
config.overlay(json.dumps({"model": {"decoder": {"session_options": {"intra_op_num_threads": threads}}}}))
model = og.Model(config)
with open(os.path.join(folder, "genai_config.json")) as f:
    window = json.load(f)["model"]["decoder"].get("sliding_window", {}).get("window_size", 0)
rng = numpy.random.default_rng(1)
before = rng.integers(4, 300, depth).astype(numpy.int32)
prompt = rng.integers(4, 300, length).astype(numpy.int32)


def begin():
    """A generator at the depth, and at least one token: GenAI has no generation without a prompt."""
    params = og.GeneratorParams(model)
    most = max(depth + length, window)  # GenAI refuses to generate less than a window
    params.set_search_options(max_length=most, min_length=most, do_sample=False)
    g = og.Generator(model, params)
    if depth:
        g.append_tokens(before)
    return g


clock = time.perf_counter_ns
generator, made = None, 0


def step():
    """The time of one token. The first token of a prompt needs no run, so it is not counted."""
    global generator, made
    if generator is None or made >= length - 1:
        generator, made = begin(), 0
        generator.generate_next_token()
    start = clock()
    generator.generate_next_token()
    took = clock() - start
    made += 1
    return took


def read():
    """The time of one prompt, from the ids to the first token."""
    g = begin()
    start = clock()
    g.append_tokens(prompt)
    return clock() - start


once = step if test == "tg" else read
for line in sys.stdin:
    runs, limit, place = map(int, line.split())
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(every)[place % len(every)]})
    os.sched_setaffinity(0, every)
    samples = []
    start = clock()
    while len(samples) < runs and clock() - start < limit:
        samples.append(once())
    time.sleep(0 if threads == 1 else 0.04)
    print(*samples, flush=True)
