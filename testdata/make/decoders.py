"""Makes decoders/: three untrained language models with caches, as exporters write them.

Packages: torch, transformers, onnxruntime-genai, onnxscript, onnx, onnxruntime, numpy.
Takes about a minute on one core.

grouped.onnx is a Llama by onnxruntime-genai's model builder: GroupQueryAttention, RotaryEmbedding
with position ids as an input, weights of 4 bits. joined.onnx is a Llama by torch.onnx, whose cache is
a DynamicCache of transformers: the past is joined with the new keys and values by Concat.
encoded.onnx is the decoder of an encoder-decoder with learned positions: two exports by torch.onnx,
without and with a past, merged by an If over use_cache_branch.
"""

import training  # before torch: it sets what the math libraries read once

import io
import os
import runpy
import sys
import tempfile

import numpy as np
import onnx
import torch
import transformers
from onnx import helper, numpy_helper
from torch import nn

import modelfile

SEED = 20261127
FOLDER = "decoders"
VOCABULARY = 96
LAYERS, HEADS, WIDTH = 2, 4, 32
SIZE = WIDTH // HEADS
POSITIONS = 64


def llama(width, key_value_heads):
    """Returns an untrained Llama whose scores depend on its context, because its weights are large."""
    torch.manual_seed(SEED)
    config = transformers.LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=width, intermediate_size=WIDTH, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, num_key_value_heads=key_value_heads, max_position_embeddings=POSITIONS,
        bos_token_id=1, eos_token_id=2, pad_token_id=3, initializer_range=0.2, attn_implementation="eager",
    )
    return transformers.LlamaForCausalLM(config).eval()


def grouped():
    """Returns a model by onnxruntime-genai's model builder."""
    import onnxruntime_genai

    tools = os.path.join(os.path.dirname(onnxruntime_genai.__file__), "models")
    sys.path.insert(0, tools)
    from builders import base

    # As for execution providers whose GroupQueryAttention does not rotate: positions are an input.
    base.Model.is_fused_rope_supported = lambda self: False
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
        llama(2 * WIDTH, 2).save_pretrained(source)
        tokenizer().save_pretrained(source)
        sys.argv = ["builder", "-i", source, "-o", target, "-p", "int4", "-e", "cpu", "-c", os.path.join(folder, "cache"), "--extra_options", "fuse_qkv=false"]
        runpy.run_path(os.path.join(tools, "builder.py"), run_name="__main__")
        return onnx.load(os.path.join(target, "model.onnx"))


def tokenizer():
    """Returns a tokenizer, which the model builder asks for."""
    from tokenizers import Tokenizer, models

    words = {f"t{i}": i for i in range(VOCABULARY)}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel(words, unk_token="t0")), unk_token="t0")


class Joined(nn.Module):
    """A Llama with its cache as flat inputs and outputs."""

    def __init__(self):
        super().__init__()
        self.model = llama(WIDTH, HEADS)

    def forward(self, input_ids, attention_mask, position_ids, *past):
        cache = transformers.DynamicCache(config=self.model.config)
        for layer in range(LAYERS):
            cache.update(past[2 * layer], past[2 * layer + 1], layer)
        out = self.model(
            input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids, past_key_values=cache, use_cache=True
        )
        present = [t for layer in out.past_key_values.layers for t in (layer.keys, layer.values)]
        return (out.logits, *present)


def joined():
    """Returns a model by torch.onnx with a DynamicCache."""
    batch, new, past = 2, 3, 5
    caches = [torch.randn(batch, HEADS, past, SIZE) for _ in range(2 * LAYERS)]
    ids = torch.randint(4, VOCABULARY, (batch, new))
    mask, positions = torch.ones(batch, past + new, dtype=torch.int64), torch.arange(past, past + new).repeat(batch, 1)
    rows, count, total = (torch.export.Dim(name, min=1, max=POSITIONS) for name in ("batch", "sequence", "total"))
    before = torch.export.Dim("past", min=1, max=POSITIONS)
    shapes = ({0: rows, 1: count}, {0: rows, 1: total}, {0: rows, 1: count}, tuple({0: rows, 2: before} for _ in caches))
    with torch.no_grad():
        program = torch.onnx.export(
            Joined().eval(), (ids, mask, positions, *caches), dynamo=True, opset_version=20, dynamic_shapes=shapes,
            input_names=["input_ids", "attention_mask", "position_ids", *cache_names("past_key_values")],
            output_names=["logits", *cache_names("present")], verbose=False,
        )
    model = program.model_proto
    for node in model.graph.node:  # where the exporter was called from, and its stack
        del node.metadata_props[:]
        node.doc_string = ""
    return model


def cache_names(prefix, part=""):
    """Returns the names of keys and values of every layer."""
    return [f"{prefix}.{layer}.{part}{what}" for layer in range(LAYERS) for what in ("key", "value")]


def exported(module, args, inputs, outputs, axes):
    """Returns the export of a module by tracing."""
    buffer = io.BytesIO()
    with torch.no_grad():
        torch.onnx.export(
            module, args, buffer, input_names=inputs, output_names=outputs, dynamic_axes=axes, opset_version=18, dynamo=False
        )
    return onnx.load_from_string(buffer.getvalue())


class Attention(nn.Module):
    """Attention of queries to keys and values that may be given."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        for linear in (self.q, self.k, self.v, self.o):
            nn.init.normal_(linear.weight, std=0.3)

    def heads(self, x):
        return x.view(x.shape[0], x.shape[1], HEADS, SIZE).transpose(1, 2)

    def forward(self, x, key, value, mask):
        scores = self.heads(self.q(x)) @ key.transpose(2, 3) / SIZE**0.5
        if mask is not None:
            scores = scores + mask
        mixed = torch.softmax(scores, dim=-1) @ value
        return self.o(mixed.transpose(1, 2).reshape(x.shape[0], x.shape[1], WIDTH))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.own, self.cross = Attention(), Attention()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)


class Decoder(nn.Module):
    """The decoder of an encoder-decoder. with_past says whether it continues a cache."""

    def __init__(self, with_past):
        super().__init__()
        self.with_past = with_past
        self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, input_ids, encoded, *past):
        new = input_ids.shape[1]
        before = past[0].shape[2] if self.with_past else 0
        positions = torch.arange(before, before + new)
        x = self.tokens(input_ids) + self.positions(positions)
        far = torch.arange(before + new)[None, :] > positions[:, None]
        mask = torch.where(far, torch.tensor(-1e9), torch.tensor(0.0))
        present = []
        for i, layer in enumerate(self.layers):
            h = layer.norms[0](x)
            key, value = layer.own.heads(layer.own.k(h)), layer.own.heads(layer.own.v(h))
            if self.with_past:
                key, value = torch.cat([past[4 * i], key], dim=2), torch.cat([past[4 * i + 1], value], dim=2)
                cross = past[4 * i + 2], past[4 * i + 3]
            else:
                cross = layer.cross.heads(layer.cross.k(encoded)), layer.cross.heads(layer.cross.v(encoded))
            x = x + layer.own(h, key, value, mask)
            x = x + layer.cross(layer.norms[1](x), *cross, None)
            x = x + layer.down(torch.relu(layer.up(layer.norms[2](x))))
            present += [key, value, cross[0] * 1, cross[1] * 1] if not self.with_past else [key, value]
        return (self.head(x), *present)


def encoded():
    """Returns the two exports of a decoder, merged."""
    torch.manual_seed(SEED)
    batch, new, past, frames = 2, 3, 5, 7
    first, later = Decoder(False).eval(), Decoder(True).eval()
    later.load_state_dict(first.state_dict())
    ids, states = torch.randint(4, VOCABULARY, (batch, new)), torch.randn(batch, frames, WIDTH)
    pasts = [torch.randn(batch, HEADS, past if i % 4 < 2 else frames, SIZE) for i in range(4 * LAYERS)]
    names = [name for layer in range(LAYERS) for part in ("decoder", "encoder") for name in (f"{layer}.{part}.key", f"{layer}.{part}.value")]
    past_names, present_names = [f"past_key_values.{n}" for n in names], [f"present.{n}" for n in names]
    own = [n for n in present_names if ".decoder." in n]
    axes = {"input_ids": {0: "batch", 1: "sequence"}, "encoder_hidden_states": {0: "batch", 1: "frames"}, "logits": {0: "batch", 1: "sequence"}}
    axes |= {n: {0: "batch", 2: "past" if ".decoder." in n else "frames"} for n in past_names}
    axes |= {n: {0: "batch", 2: "total" if ".decoder." in n else "frames"} for n in present_names}
    inputs = ["input_ids", "encoder_hidden_states"]
    a = exported(first, (ids, states), inputs, ["logits", *present_names], axes)
    b = exported(later, (ids, states, *pasts), [*inputs, *past_names], ["logits", *own], axes)
    return merged(a, b, present_names)


def merged(first, later, presents):
    """Returns a model that runs one of two graphs. Equal weights are stored once."""
    stored, weights = {}, []
    branches = []
    for prefix, model in (("first", first), ("later", later)):
        graph = onnx.compose.add_prefix_graph(model.graph, prefix + "/", rename_inputs=False, rename_outputs=False)
        rename = {}
        for weight in graph.initializer:
            array = numpy_helper.to_array(weight)
            key = (weight.data_type, array.shape, array.tobytes())
            if key not in stored:
                stored[key] = f"weight_{len(stored)}"
                weights.append(numpy_helper.from_array(array, stored[key]))
            rename[weight.name] = stored[key]
        for node in graph.node:
            node.input[:] = [rename.get(name, name) for name in node.input]
        branches.append(graph)
    types = {v.name: v for v in [*first.graph.input, *later.graph.input, *first.graph.output, *later.graph.output]}
    results = ["logits", *presents]
    bodies = []
    for prefix, graph in zip(("first", "later"), branches):
        made = {v.name for v in graph.output}
        nodes, outputs = list(graph.node), []
        for name in results:
            inner = f"{prefix}/{name}/result"
            if name in made:
                nodes.append(helper.make_node("Identity", [name], [inner], name=f"{prefix}/{name}/Identity"))
                kept = types[name].type
            else:
                empty = numpy_helper.from_array(np.zeros((0, HEADS, 1, SIZE), np.float32))
                nodes.append(helper.make_node("Constant", [], [inner], name=f"{prefix}/{name}/Constant", value=empty))
                kept = helper.make_tensor_value_info(inner, onnx.TensorProto.FLOAT, [0, HEADS, 1, SIZE]).type
            outputs.append(onnx.ValueInfoProto(name=inner, type=kept))
        # The names of the graph's outputs are inner values here.
        for node in nodes:
            node.input[:] = [f"{prefix}/{n}" if n in made else n for n in node.input]
            node.output[:] = [f"{prefix}/{n}" if n in made else n for n in node.output]
        bodies.append(helper.make_graph(nodes, prefix, [], outputs))
    switch = helper.make_tensor_value_info("use_cache_branch", onnx.TensorProto.BOOL, [1])
    node = helper.make_node("If", ["use_cache_branch"], results, name="optimum::if", then_branch=bodies[1], else_branch=bodies[0])
    graph = helper.make_graph([node], "merged", [*later.graph.input, switch], [types[name] for name in results], weights)
    known = {v.name for v in graph.input}
    for value in first.graph.input:
        if value.name not in known:
            graph.input.insert(1, value)
    return helper.make_model(graph, opset_imports=first.opset_import, ir_version=first.ir_version, producer_name="decoders.py")


def main():
    folder = modelfile.output_folder(__doc__) / FOLDER
    training.repeatable(SEED)
    for name, make in (("grouped", grouped), ("joined", joined), ("encoded", encoded)):
        # The checker does not know operators that the builder writes in the default domain.
        check = modelfile.session if name == "grouped" else modelfile.check_model
        modelfile.write(folder / f"{name}.onnx", make().SerializeToString(deterministic=True), check)


if __name__ == "__main__":
    main()
